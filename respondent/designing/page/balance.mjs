/** Privacy against precision: one picture of what each truth gives away and how precise shares are, and a slider on it. */

import { figure, percent, three } from "./cost.mjs";
import { ask } from "./design.mjs";
import { at, isTable } from "./form.mjs";
import { button, drawn, made } from "./parts.mjs";

/** @typedef {import("./state.d.ts").GroupFigures} GroupFigures */
/** @typedef {import("./state.d.ts").Point} Point */
/** @typedef {import("./state.d.ts").Shown} Shown */

const [WIDE, HIGH, EDGE] = [300, 180, 30];

/** Where the slider of a group is, as long as it was not used. @type {{group: string, truth: string, exact: Point | null} | null} */
let tried = null;
let asking = false;

/** A fraction such as 3/4, or a decimal, as a number. @param {string} truth */
export function share(truth) {
  const [above, below] = truth.split("/").map(Number);
  return (above ?? 0) / (below ?? 1);
}

/** The point of a curve nearest to a truth. @param {Point[]} curve @param {string | null | undefined} truth @returns {number} */
function nearest(curve, truth) {
  if (!truth) return -1;
  const gaps = curve.map((each) => Math.abs(share(each.truth) - share(truth)));
  return gaps.indexOf(Math.min(...gaps));
}

/** Ask for the exact figures of a truth: one question at a time, the last wins. @param {GroupFigures} group @param {Shown} shown @param {() => void} redraw */
async function refine(group, shown, redraw) {
  if (asking) return;
  asking = true;
  while (tried?.group === group.name && tried.exact?.truth !== tried.truth) {
    const { truth } = tried;
    const query = new URLSearchParams({ group: group.name, truth, respondents: String(shown.state.respondents) });
    const answer = /** @type {{group: Point} | null} */ (await ask(`slider?${query}`).catch(() => null));
    if (!answer) break;
    if (tried?.group === group.name) tried.exact = { ...answer.group, truth };
    redraw();
  }
  asking = false;
}

/**
 * The picture and the slider of a group.
 *
 * @param {GroupFigures | undefined} group
 * @param {Shown} shown
 * @param {() => void} redraw
 * @returns {Node[]}
 */
export function balanceOf(group, shown, redraw) {
  if (!group || group.curve.length < 2) return [];
  if (tried && (tried.group !== group.name || !group.curve.some((each) => each.truth === tried?.truth))) tried = null;
  const [present, chosen] = [nearest(group.curve, group.truth), nearest(group.curve, group.chosen)];
  const place = tried ? group.curve.findIndex((each) => each.truth === tried?.truth) : present;
  const point = group.curve[Math.max(0, place)];
  if (!point) return [];
  const shownPoint = tried?.exact?.truth === point.truth ? tried.exact : point;
  const canSet = isTable(at(shown.state.document, ["groups", group.name])) && point.truth !== group.truth;
  const slider = made("input", {
    id: "truth",
    type: "range",
    min: "0",
    max: String(group.curve.length - 1),
    step: "1",
    value: String(Math.max(0, place)),
    "aria-valuetext": `truth ${point.truth}`,
    oninput: (/** @type {Event} */ event) => {
      const truth = group.curve[Number(/** @type {HTMLInputElement} */ (event.target).value)]?.truth ?? point.truth;
      tried = { group: group.name, truth, exact: null };
      redraw();
      refine(group, shown, redraw);
    },
  });
  return [
    made("h3", { id: "balance.title" }, `Privacy against precision: group ${group.name}`),
    made("div", { id: "balance.picture" }, picture(group, present, chosen, place)),
    made(
      "div",
      { className: "field", id: "balance.field" },
      made("label", { htmlFor: "truth" }, "Truth: the chance that answers are sent as they are"),
      slider,
    ),
    made(
      "p",
      { id: "balance.words" },
      `Truth ${point.truth}: `,
      ...(shownPoint.epsilon === null ? ["no epsilon holds, "] : ["epsilon ", figure(shownPoint.epsilon, three), ", "]),
      "an answer can become ",
      figure(shownPoint.belief, percent),
      " likely",
      "; shares within ± ",
      figure(shownPoint.width === null ? null : shownPoint.width / 2, percent),
      ".",
    ),
    button(
      "balance.use",
      `Use truth ${point.truth}`,
      () => {
        tried = null;
        const there = at(shown.state.document, ["groups", group.name]);
        /** @type {import("./state.d.ts").Edit[]} */
        const drops = ["epsilon", "odds"]
          .filter((key) => isTable(there) && key in there)
          .map((key) => ({ op: "delete", path: ["groups", group.name, key] }));
        shown.edit(
          [...drops, { op: "set", path: ["groups", group.name, "truth"], value: point.truth }],
          `Truth ${point.truth} for group ${group.name}.`,
        );
      },
      { "aria-disabled": canSet ? null : "true" },
    ),
  ];
}

/** @param {GroupFigures} group @param {number} present @param {number} chosen @param {number} place */
function picture(group, present, chosen, place) {
  const given = group.curve.every((each) => each.epsilon !== null)
    ? (/** @type {Point} */ each) => each.epsilon ?? 0
    : (/** @type {Point} */ each) => each.belief;
  const width = (/** @type {Point} */ each) => each.width ?? 1;
  const seen = group.curve.filter((each) => Number.isFinite(width(each)));
  const [most, widest] = [Math.max(...seen.map(given)) || 1, Math.min(1, Math.max(...seen.map(width))) || 1];
  const x = (/** @type {Point} */ each) => EDGE + ((WIDE - 2 * EDGE) * Math.min(width(each), widest)) / widest;
  const y = (/** @type {Point} */ each) => HIGH - EDGE - ((HIGH - 2 * EDGE) * given(each)) / most;
  const line = seen.map((each) => `${x(each).toFixed(1)} ${y(each).toFixed(1)}`).join("L");
  /** @param {number} index @param {string} name */
  const mark = (index, name) => {
    const point = group.curve[index];
    if (!point) return null;
    if (name === "chosen") return drawn("rect", { class: name, x: x(point) - 5, y: y(point) - 5, width: 10, height: 10 });
    return drawn("circle", { class: name, cx: x(point), cy: y(point), r: name === "tried" ? 5 : 8 });
  };
  const measure = group.curve.every((each) => each.epsilon !== null) ? "epsilon" : "how likely an answer can become";
  const words = `${measure} from ${three(Math.min(...seen.map(given)))} to ${three(most)}, against shares within ± ${percent(widest / 2)} to ± ${percent(Math.min(...seen.map(width)) / 2)}`;
  return made(
    "figure",
    {},
    drawn(
      "svg",
      { class: "balance", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": words },
      drawn("path", { class: "axes", d: `M${EDGE} ${EDGE}V${HIGH - EDGE}H${WIDE - EDGE}` }),
      drawn("path", { class: "curve", d: `M${line}` }),
      mark(present, "present"),
      mark(chosen, "chosen"),
      mark(place, "tried"),
      drawn("text", { x: EDGE, y: EDGE - 10 }, `${measure} ↑`),
      drawn("text", { x: WIDE - EDGE, y: HIGH - 8, "text-anchor": "end" }, "less precise →"),
    ),
    made(
      "figcaption",
      { className: "quiet" },
      `The ring is the design as it is, the dot the slider${chosen < 0 ? "" : ", the square what one epsilon for the whole response would choose"}.`,
    ),
  );
}
