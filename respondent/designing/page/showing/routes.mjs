/** Who reaches each question, and how many answers are expected: a picture, and the same as a list. */

import { button, drawn, made } from "../parts.mjs";
import { answerOf } from "./asked.mjs";

/** @typedef {import("../state.d.ts").Route} Route */
/** @typedef {import("../state.d.ts").Shown} Shown */

const [WIDE, LINE, STEP, DEEPEST, BAR, EDGE] = [640, 30, 18, 8, 220, 60]; // of the picture
const LONGEST = 34; // signs of a text in it

/**
 * The view.
 *
 * @param {Shown} shown
 * @param {(index: number) => void} choose - Shows the form of a question.
 * @param {() => void} redraw
 * @returns {Node[]}
 */
export function routesForm({ state }, choose, redraw) {
  const routes = /** @type {Route[] | null | undefined} */ (answerOf("routes", state, redraw));
  if (routes === undefined) return [made("p", { id: "routes.none", className: "quiet" }, "…")];
  if (!routes?.length) return [made("p", { id: "routes.none" }, "The routes are shown once nothing is left to fix.")];
  const all = state.respondents.toLocaleString("en");
  const depths = depthsOf(routes);
  return [
    made("p", { id: "routes.about" }, `Who is asked each question, and how many answers are expected of ${all} people. ${basisOf(routes)}`),
    made("div", { id: "routes.picture", "aria-hidden": "true" }, pictureOf(routes, depths)),
    made("ol", { id: "routes.list", "aria-label": "Who reaches each question" }, ...routes.map((each) => lineOf(each, all, depths, choose))),
  ];
}

/** What the numbers rest on. @param {Route[]} routes */
function basisOf(routes) {
  if (routes.every(({ conditions }) => !conditions.length)) return "";
  const guessed = [...new Set(routes.flatMap((each) => each.guessed))].toSorted((one, other) => one - other);
  const rest = "Answers to different questions are taken as independent.";
  if (!guessed.length) return `The numbers follow from the expected shares of the answers, which the survey has. ${rest}`;
  const named = guessed.map((each) => each + 1).join(", ");
  return `The survey has no expected shares for the answers to ${guessed.length === 1 ? "question" : "questions"} ${named}: there each answer is taken as equally likely. ${rest}`;
}

/** How far below those who decide it a question stands. @param {Route[]} routes @returns {Map<number, number>} */
function depthsOf(routes) {
  /** @type {Map<number, number>} */
  const found = new Map();
  for (const { index, conditions } of routes)
    found.set(index, Math.max(0, ...conditions.map((each) => 1 + (found.get(each.index) ?? 0))));
  return found;
}

/** How many answers, in words. @param {Route} route @param {string} all */
function countOf({ share, expected, drawn: asked }, all) {
  if (share === 0) return "Nobody reaches it.";
  const draw = asked < 1 ? ` Each person whose answers lead there is asked with probability ${asked.toFixed(2)}.` : "";
  if (share === null || expected === null) return `How many reach it is not known: too many answers decide it.${draw}`;
  if (share === 1) return `Everybody: ${all} of ${all}.`;
  return `About ${expected.toLocaleString("en")} of ${all}.${draw}`;
}

/** Who is asked, in words. @param {Route} route */
const conditionOf = ({ conditions }) =>
  conditions.length
    ? `Only if ${conditions.map(({ index, title, answers }) => `${index + 1}. “${title}” is ${answers.map((each) => `“${each}”`).join(" or ")}`).join(", and ")}. `
    : "";

/** @param {Route} route @param {string} all @param {Map<number, number>} depths @param {(index: number) => void} choose */
function lineOf(route, all, depths, choose) {
  const { index, title, share } = route;
  return made(
    "li",
    { id: `routes.${index}`, className: `deep${Math.min(DEEPEST, depths.get(index) ?? 0)}`, value: index + 1 },
    button(`routes.${index}.open`, title, () => choose(index), { className: "link", dir: "auto" }),
    made("p", { className: share === 0 ? "wrong" : "quiet" }, `${conditionOf(route)}${countOf(route, all)}`),
  );
}

/** A line for each question, with a bar of who reaches it, and a way from the question that decides it. @param {Route[]} routes @param {Map<number, number>} depths */
function pictureOf(routes, depths) {
  const rowOf = new Map(routes.map(({ index }, row) => [index, row]));
  const left = (/** @type {number} */ index) => 10 + STEP * Math.min(DEEPEST, depths.get(index) ?? 0);
  const middle = (/** @type {number} */ index) => LINE * ((rowOf.get(index) ?? 0) + 0.5);
  const ways = routes.flatMap(({ index, conditions }) =>
    conditions.map((each) =>
      drawn("path", { class: "way", d: `M${left(each.index)} ${middle(each.index) + 5}V${middle(index)}H${left(index) - 5}` }),
    ),
  );
  const lines = routes.flatMap(({ index, title, share, expected }) => {
    const y = middle(index);
    const words = `${index + 1}. ${title}`;
    const start = WIDE - BAR - EDGE;
    return [
      drawn("circle", { class: share === 0 ? "nobody" : "stop", cx: left(index), cy: y, r: 5 }),
      drawn("text", { x: left(index) + 12, y: y + 4 }, words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words),
      drawn("rect", { class: "back", x: start, y: y - 7, width: BAR, height: 14 }),
      drawn("rect", { class: "after", x: start, y: y - 7, width: BAR * (share ?? 0), height: 14 }),
      drawn("text", { class: share === 0 ? "nobody" : undefined, x: WIDE - EDGE + 6, y: y + 4 }, share === 0 ? "nobody" : (expected?.toLocaleString("en") ?? "?")),
    ];
  });
  return drawn("svg", { class: "routes", viewBox: `0 0 ${WIDE} ${LINE * routes.length}` }, ...ways, ...lines);
}
