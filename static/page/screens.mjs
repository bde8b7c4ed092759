/**
 * One screen at a time in one document. Every move is an entry of the browser's history that holds the number of the
 * screen, and of the entries of ours before it, so that Back and Forward work; where they may lead is asked of the page.
 */
let screens = [];
let [at, depth] = [0, 0];
let dress = () => {};
const title = document.title;

/**
 * Which screen may be shown in place of one that is asked for; what sets what is around a screen.
 */
export function openScreens(all, allowed, around) {
  [screens, dress] = [all, around];
  depth = Number(history.state?.depth) || 0; // after a reload
  history.replaceState({ place: 0, depth }, "");
  addEventListener("popstate", ({ state }) => {
    if (!state) return history.replaceState({ place: at, depth: ++depth }, ""); // a link to a part of the page
    depth = state.depth;
    show(allowed(state.place));
  });
}

/** The number of the screen that is shown. */
export const place = () => at;

/** Show a screen, and leave an entry in the history. */
export function go(next) {
  history.pushState({ place: next, depth: ++depth }, "");
  show(next);
}

/** Leave for an empty page that needs no network: Back finds what was before the survey, Forward the cover. */
export function vanish(cover) {
  document.body.replaceChildren(); // at once
  document.title = "";
  const cut = () => {
    history.pushState(null, "", cover); // in place of all that Forward would find
    onpopstate = () => location.replace("about:blank");
    history.back();
  };
  onpopstate = cut;
  if (depth) history.go(-depth);
  else cut();
}

/** Show a screen, with its heading in focus. */
function show(next) {
  at = next;
  screens.forEach((screen, number) => (screen.hidden = number !== at));
  dress();
  settle(screens[at]);
}

/** Bring a screen to attention. */
export function settle(screen) {
  if (!screen.isConnected) return; // the visit is over
  const heading = screen.querySelector("h1");
  const count = screen.querySelector(".count")?.textContent;
  const words = (count ? `${count}: ` : "") + heading.textContent;
  document.title = words === title ? title : `${words} \u2013 ${title}`;
  scrollTo(0, 0);
  heading.focus({ preventScroll: true });
}
