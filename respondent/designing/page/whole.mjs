/** Privacy against precision where one epsilon is promised for a whole response: a slider of it. */

import { figure, inTimes, percent, picture, points } from "./cost.mjs";
import { ask } from "./design.mjs";
import { button, made } from "./parts.mjs";
import { at } from "./controls.mjs";

/** @typedef {import("./state.d.ts").Chosen} Chosen */
/** @typedef {import("./state.d.ts").GroupFigures} GroupFigures */
/** @typedef {import("./state.d.ts").QuestionFigures} QuestionFigures */
/** @typedef {import("./state.d.ts").Shown} Shown */

const STEPS = 16; // to each side of the present epsilon, by which it is slid
const STEP = 2 ** (1 / 4);
const MOST = 100;

/** Where the slider is, as long as it was not used: without a design while it is asked for, null where there is none. @type {{epsilon: number, design?: Chosen | null} | null} */
let tried = null;
let asking = false;

/** Epsilons around the present one, the smallest first. @param {number} present */
export function epsilons(present) {
  const steps = Array.from({ length: 2 * STEPS + 1 }, (_, place) => present * STEP ** (place - STEPS));
  return steps.map((each, place) => (place === STEPS ? present : Number(each.toPrecision(3)))).filter((each) => each <= MOST);
}

/** Ask for the design of an epsilon: one question at a time, the last wins. @param {number} respondents @param {() => void} redraw */
async function refine(respondents, redraw) {
  if (asking) return;
  asking = true;
  while (tried && tried.design === undefined) {
    const { epsilon } = tried;
    const design = /** @type {Chosen | null} */ (
      await ask(`chosen?epsilon=${epsilon}&respondents=${respondents}`).catch(() => null)
    );
    if (tried?.epsilon === epsilon) tried.design = design;
    redraw();
  }
  asking = false;
}

/**
 * The picture and the slider.
 *
 * @param {QuestionFigures} question
 * @param {GroupFigures | undefined} group - Whose curve is drawn.
 * @param {Shown} shown
 * @param {() => void} redraw
 * @returns {Node[]}
 */
export function wholeOf(question, group, shown, redraw) {
  const present = Number(at(shown.state.document, ["privacy", "epsilon"]));
  if (!(present > 0)) return [];
  const all = epsilons(present);
  if (tried && !all.includes(tried.epsilon)) tried = null;
  const epsilon = tried?.epsilon ?? present;
  const widths = question.values.flatMap((each) => (each.width === null ? [] : [each.width]));
  const standing = { ...question, width: widths.length ? Math.max(...widths) : null };
  const found = tried ? tried.design?.questions.find((each) => each.name === question.name) : standing;
  const slider = made("input", {
    id: "whole",
    type: "range",
    min: "0",
    max: String(all.length - 1),
    step: "1",
    value: String(all.indexOf(epsilon)),
    "aria-valuetext": `epsilon ${epsilon}`,
    oninput: (/** @type {Event} */ event) => {
      tried = { epsilon: all[Number(/** @type {HTMLInputElement} */ (event.target).value)] ?? present };
      redraw();
      refine(shown.state.respondents, redraw);
    },
  });
  const isWaiting = tried !== null && tried.design === undefined;
  return [
    made("h3", { id: "balance.title" }, "Privacy against precision: the whole response"),
    group && group.curve.length > 1 && made("div", { id: "balance.picture" }, drawing(question, group)),
    made(
      "div",
      { className: "field", id: "balance.field" },
      made("label", { htmlFor: "whole" }, "Epsilon of a whole response"),
      slider,
    ),
    made(
      "p",
      { id: "balance.words" },
      ...(found
        ? [
            `Epsilon ${epsilon}: an answer to ${question.name}, common ones included, can become `,
            figure(found.belief, percent),
            " likely; shares within ± ",
            figure(found.width === null ? null : found.width / 2, points),
            ` (95 % interval). What the epsilon says${inTimes(epsilon)}.`,
          ]
        : [isWaiting ? `Epsilon ${epsilon}: …` : `No design keeps epsilon ${epsilon}.`]),
    ),
    button(
      "balance.use",
      epsilon === present ? `Epsilon ${epsilon} is in use` : `Use epsilon ${epsilon}`,
      () => {
        if (epsilon === present || !found) return;
        tried = null;
        shown.edit([{ op: "set", path: ["privacy", "epsilon"], value: epsilon }], `Saved: epsilon ${epsilon} of a whole response.`);
      },
      { "aria-disabled": epsilon !== present && found ? null : "true" },
    ),
  ].filter((each) => each instanceof Node);
}

/** @param {QuestionFigures} question @param {GroupFigures} group */
function drawing(question, group) {
  const near = group.curve.toSorted((one, other) => gap(one, group) - gap(other, group))[0];
  const groups = tried ? (tried.design?.groups ?? []) : near ? [{ ...near, questions: [question.name] }] : [];
  return picture(group.curve, { present: near, tried: groups.find((each) => each.questions.includes(question.name)) });
}

/** @param {{epsilon: number | null}} point @param {GroupFigures} group */
const gap = (point, group) => Math.abs((point.epsilon ?? 0) - (group.epsilon ?? 0));
