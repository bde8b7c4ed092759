/** What is to be fixed: how much there is, each with a way to its field, and what the file's own reader says of it. */

import { at, idOf, isTable } from "../controls.mjs";
import { button, made } from "../parts.mjs";
import { placeIn } from "../translating/places.mjs";

/** @typedef {import("../state.d.ts").Path} Path */
/** @typedef {import("../state.d.ts").Problem} Problem */
/** @typedef {import("../state.d.ts").Value} Value */

const CONTROLS = "input, select, textarea";

/** @param {number} count */
export const toFix = (count) => `${count} ${count === 1 ? "thing" : "things"} to fix`;

/**
 * The list of problems; nothing without one.
 *
 * @param {string} id
 * @param {Problem[]} problems
 * @param {(problem: Problem) => void} go - Shows the field of a problem.
 * @returns {Node[]}
 */
export function summaryOf(id, problems, go) {
  if (!problems.length) return [];
  const lines = problems.map((each, index) =>
    made("li", {}, button(`${id}.${index}`, placeIn(each.path), () => go(each), { className: "link" }), " ", each.words),
  );
  return [
    made(
      "div",
      { id, className: "remarks" },
      made("h3", { id: `${id}.title` }, toFix(problems.length)),
      made("ul", {}, ...lines),
      made(
        "details",
        { id: `${id}.file` },
        made("summary", { id: `${id}.open` }, "Show the file"),
        made("pre", { tabIndex: 0, "aria-label": "What is wrong in the file" }, problems.map(({ place, problem, remedy }) => `${place}: ${problem}; ${remedy}`).join("\n")),
      ),
    ),
  ];
}

/** The path of a control: rows of a list go by their places. @param {Path} path @param {Value} document @returns {Path} */
function rowed(path, document) {
  const items = at(document, path.slice(0, 3));
  return path.length > 3 && isTable(items) ? [...path.slice(0, 3), Object.keys(items).indexOf(String(path[3])), ...path.slice(4)] : path;
}

/**
 * The control at a path, or the nearest above it; of several, first one that is empty. What it is folded in is opened.
 *
 * @param {Path} place
 * @param {Value} document
 * @returns {HTMLElement | null}
 */
export function fieldOf(place, document) {
  const path = rowed(place, document);
  for (let length = path.length; length > 0; length -= 1) {
    const id = idOf(path.slice(0, length));
    const form = window.document;
    const below = form.querySelectorAll(`[id^="${CSS.escape(id)}."]`);
    const controls = path[0] === "mining" ? [form.getElementById("target")] : [form.getElementById(id), ...below];
    const found = controls.filter((each) => each instanceof HTMLElement && each.matches(CONTROLS));
    const empty = path[0] === "groups" ? undefined : found.find((each) => /** @type {HTMLInputElement} */ (each).value === "");
    const control = empty ?? found[0]; // a group has one of three settings, and the first is its truth
    if (!(control instanceof HTMLElement)) continue;
    for (let box = control.closest("details"); box; box = box.parentElement?.closest("details") ?? null) box.open = true;
    return control;
  }
  return null;
}
