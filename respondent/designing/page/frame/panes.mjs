/** Three panes: the list, the form of what is chosen, and what is seen of it. On a small window there is one at a time. */

import { element } from "../parts.mjs";

/** @typedef {"list" | "form" | "seen"} Pane */

/** Whether all panes stand beside one another, each scrolling on its own. */
const room = matchMedia("(min-width: 60rem) and (min-height: 24rem)");

/** Show a pane where there is room for one. @param {Pane} pane @param {string} focus - The control that the focus goes to, if it would be lost. */
export function showPane(pane, focus) {
  element("main").dataset.pane = pane;
  if (room.matches) return;
  scrollTo(0, 0);
  document.getElementById(focus)?.focus({ preventScroll: pane !== "list" });
}

/** Begin a form at its top, with the line of its question in view. @param {string} line */
export function bringIntoView(line) {
  element("pane.form").scrollTop = 0;
  document.getElementById(line)?.scrollIntoView({ block: "nearest" });
}

/** Where typing goes on once what was asked for is drawn. */
let next = "";
/** Let the focus go to a control, or the first one in a row, once it is there. @param {string} id */
export const goLater = (id) => (next = id);

/** Go where typing goes on. */
export function goOn() {
  const there = next ? document.getElementById(next) : null;
  next = "";
  const control = there?.matches("input, textarea") ? there : there?.querySelector("input, textarea");
  if (!(control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)) return;
  control.focus();
  control.select();
}

/** Keep the control that has the focus where it is on the screen: a remark that comes or goes above would move it away. @param {() => void} change */
export function inPlace(change) {
  const control = document.activeElement;
  const top = control?.getBoundingClientRect().top ?? 0;
  change();
  if (!control?.closest("#work") || !control.isConnected) return;
  const pane = room.matches ? (control.closest("#list, .pane") ?? window) : window;
  pane.scrollBy(0, control.getBoundingClientRect().top - top);
}

/** Let the buttons between the panes work. @param {() => string} line - The id of the line of what is chosen. */
export function listenToPanes(line) {
  element("back").onclick = () => showPane("list", line());
  element("to.seen").onclick = () => showPane("seen", "to.form");
  element("to.form").onclick = () => showPane("form", "to.seen");
}
