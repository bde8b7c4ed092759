/** Privacy against precision of a group: what each truth gives away and how precise shares are, and a slider of it. */

import { figure, inTimes, percent, picture, points, three, withoutLimit } from "./cost.mjs";
import { ask } from "./design.mjs";
import { button, made } from "./parts.mjs";
import { at, isTable } from "./controls.mjs";
import { wholeOf } from "./whole.mjs";

/** @typedef {import("./state.d.ts").Chosen} Chosen */
/** @typedef {import("./state.d.ts").GroupFigures} GroupFigures */
/** @typedef {import("./state.d.ts").Point} Point */
/** @typedef {import("./state.d.ts").QuestionFigures} QuestionFigures */
/** @typedef {import("./state.d.ts").Shown} Shown */

const PAUSE = 500; // milliseconds without an edit, after which it is asked what one epsilon would choose

/** Where the slider of a group is, as long as it was not used. @type {{group: string, truth: string, exact: Point | null} | null} */
let tried = null;
/** The group and the truth that were put to use here. */
let used = "";
let asking = false;
/** What one epsilon would choose, and of which design. @type {{of: string, design: Chosen | null}} */
let chosen = { of: "", design: null };
let timer = 0;

/** A fraction such as 3/4, or a decimal, as a number. @param {string} truth */
export function share(truth) {
  const [above, below] = truth.split("/").map(Number);
  return (above ?? 0) / (below ?? 1);
}

/** The place on a curve that is nearest to a truth. @param {Point[]} curve @param {string | null} truth @returns {number} */
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

/** What one epsilon would choose for a group; it is asked for once nothing was edited for a while. @param {GroupFigures} group @param {Shown} shown @param {() => void} redraw */
function chosenFor(group, shown, redraw) {
  const { version, respondents, survey } = shown.state;
  const of = `${version} ${respondents}`;
  if (survey && chosen.of !== of) {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      chosen = { of, design: await ask(`chosen?respondents=${respondents}`).catch(() => null) };
      redraw();
    }, PAUSE);
  }
  return chosen.of === of ? chosen.design?.groups.find((each) => each.name === group.name) : undefined;
}

/**
 * The picture and the slider of a question, or of the whole response where one epsilon is promised for it.
 *
 * @param {QuestionFigures | undefined} question
 * @param {Shown} shown
 * @param {() => void} redraw
 * @returns {Node[]}
 */
export function balanceOf(question, shown, redraw) {
  if (shown.state.figures?.stale) return []; // the question may have another group by now
  const groups = shown.state.figures?.groups ?? [];
  const group = groups.find((each) => each.name === question?.group);
  if (isTable(shown.state.document.privacy)) return question ? wholeOf(question, group, shown, redraw) : [];
  if (!group || group.curve.length < 2) return [];
  if (tried && (tried.group !== group.name || !group.curve.some((each) => each.truth === tried?.truth))) tried = null;
  const present = nearest(group.curve, group.truth);
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
  const marks = { present: group.curve[present], chosen: chosenFor(group, shown, redraw), tried: point };
  return [
    made("h3", { id: "balance.title" }, `Privacy against precision: group ${group.name}`),
    made("div", { id: "balance.picture" }, picture(group.curve, marks)),
    made(
      "div",
      { className: "field", id: "balance.field" },
      made("label", { htmlFor: "truth" }, "Truth probability: the chance that the random draw sends an answer as it is"),
      slider,
    ),
    made(
      "p",
      { id: "balance.words" },
      `Truth ${point.truth}: `,
      ...(shownPoint.epsilon === null ? [] : ["epsilon ", figure(shownPoint.epsilon, three), inTimes(shownPoint.epsilon), ", "]),
      "some answer, common ones included, can become ",
      figure(shownPoint.belief, percent),
      " likely",
      "; shares within ± ",
      figure(shownPoint.width === null ? null : shownPoint.width / 2, points),
      " (95 % interval).",
      shownPoint.epsilon === null ? ` ${withoutLimit(group)}` : "",
    ),
    button(
      "balance.use",
      point.truth === group.truth ? `Truth ${point.truth} is in use` : `Use truth ${point.truth}`,
      () => {
        if (!canSet) return;
        tried = null;
        used = `${group.name} ${point.truth}`;
        const there = at(shown.state.document, ["groups", group.name]);
        /** @type {import("./state.d.ts").Edit[]} */
        const drops = ["epsilon", "odds"]
          .filter((key) => isTable(there) && key in there)
          .map((key) => ({ op: "delete", path: ["groups", group.name, key] }));
        shown.edit(
          [...drops, { op: "set", path: ["groups", group.name, "truth"], value: point.truth }],
          `Saved: truth ${point.truth} for group ${group.name}.`,
        );
      },
      { "aria-disabled": canSet ? null : "true" },
    ),
    made("p", { id: "balance.saved", className: "quiet" }, used === `${group.name} ${group.truth}` ? `Saved in the file: group ${group.name} has truth ${group.truth}.` : ""),
  ];
}
