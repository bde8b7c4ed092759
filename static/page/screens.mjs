/**
 * One screen at a time in one document. The history, which rests on the disk, has two entries of ours whatever is asked: the
 * card, and all that follows it. At Back the page shows the screen before, and goes forward in the history again.
 */
let screens = [];
let [at, depth] = [0, 0]; // the screen that is shown, and the entries of ours before this one
let dress = () => {};

/** What sets what is around a screen; what goes a screen back, and says whether it did. */
export function openScreens(all, around, back) {
  [screens, dress] = [all, around];
  depth = Number(history.state?.depth) || 0; // after a reload
  addEventListener("popstate", ({ state }) => {
    if (!state && location.hash) return history.replaceState({ depth: ++depth }, ""); // a link to a part of the page
    const steps = depth - (state?.depth || 0);
    if (steps > 0 && back() && at > 0) history.go(steps);
    else depth -= steps;
  });
}

/** The number of the screen that is shown. */
export const place = () => at;

/** Show a screen; the first after the card is an entry of the history. */
export function go(next) {
  if (!depth) history.pushState({ depth: ++depth }, "");
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
export function show(next) {
  at = next;
  screens.forEach((screen, number) => (screen.hidden = number !== at));
  dress();
  settle(screens[at]);
}

/** Bring a screen to attention. */
export function settle(screen) {
  if (!screen.isConnected) return; // the visit is over
  scrollTo(0, 0);
  screen.querySelector("h1").focus({ preventScroll: true });
}
