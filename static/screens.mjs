// @ts-check
/**
 * One screen at a time in one document. Every move is an entry of the browser's history that holds the number of the
 * screen and nothing else, so that Back and Forward work; where they may lead is asked of the page each time.
 */

/** @type {readonly HTMLElement[]} */
let screens = [];
let at = 0;
/** @type {() => void} */
let dress = () => {};
const title = document.title;

/**
 * @param {readonly HTMLElement[]} all
 * @param {(place: number) => number} allowed - The screen to show when that one is asked for.
 * @param {() => void} around - Sets what is around a screen before it comes to attention.
 */
export function openScreens(all, allowed, around) {
  [screens, dress] = [all, around];
  history.replaceState({ place: 0 }, "");
  addEventListener("popstate", ({ state }) => show(allowed(Number(state?.place) || 0)));
}

/** The number of the screen that is shown. */
export const place = () => at;

/** Show a screen, and leave an entry in the history. @type {(next: number) => void} */
export function go(next) {
  history.pushState({ place: next }, "");
  show(next);
}

/** Show a screen, with its heading in focus. @type {(next: number) => void} */
function show(next) {
  at = next;
  screens.forEach((screen, number) => (screen.hidden = number !== at));
  dress();
  settle(screens[at]);
}

/** Bring a screen to attention. @type {(screen: HTMLElement) => void} */
export function settle(screen) {
  if (!screen.isConnected) return; // the visit is over
  const heading = /** @type {HTMLElement} */ (screen.querySelector("h1"));
  const count = screen.querySelector(".count")?.textContent;
  const words = (count ? `${count}: ` : "") + heading.textContent;
  document.title = words === title ? title : `${words} \u2013 ${title}`;
  scrollTo(0, 0);
  heading.focus({ preventScroll: true });
}
