/** What a choice costs: how likely each answer can become, epsilon and bits, and how precise shares will be. */

import { KINDS } from "./kinds.mjs";
import { drawn, made } from "./parts.mjs";

/** @typedef {import("./state.d.ts").QuestionFigures} QuestionFigures */
/** @typedef {import("./state.d.ts").ValueFigures} ValueFigures */
/** @typedef {import("./state.d.ts").Shown} Shown */
/** @typedef {import("./state.d.ts").Table} Table */

/** A figure in words, with all its digits behind them. @param {number | null | undefined} figure @param {(figure: number) => string} words */
export const figure = (figure, words) =>
  figure === null || figure === undefined ? made("span", {}, "none") : made("data", { value: String(figure) }, words(figure));

/** @param {number} share */
export const percent = (share) => `${(100 * share).toFixed(1)} %`;
/** @param {number} number */
export const three = (number) => number.toFixed(3);

/** The figures of a question of the file: it may have become several. @param {Table} question @param {Shown} shown */
export function figuresOf(question, shown) {
  const all = shown.state.figures?.questions ?? [];
  const name = String(question.name);
  const own = all.filter((each) => each.name === name);
  return own.length || !KINDS[String(question.kind)]?.many ? own : all.filter((each) => each.name.startsWith(`${name}_`));
}

/** How many times as many people a question takes as if it were asked openly: of its dearest answer. @param {QuestionFigures} question */
export function factorOf(question) {
  const factors = question.values.flatMap((each) => (each.respondents_factor === null ? [] : [each.respondents_factor]));
  return factors.length ? Math.max(...factors) : null;
}

/** @param {ValueFigures} value */
function bar(value) {
  const [before, after] = [100 * value.prior, 100 * value.likeliest];
  return drawn(
    "svg",
    { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { class: "back", width: 100, height: 10 }),
    drawn("rect", { class: "after", width: after, height: 10 }),
    drawn("rect", { class: "before", width: before, height: 10 }),
  );
}

/** @param {QuestionFigures} question @param {number} respondents */
function tableOf(question, respondents) {
  const rows = question.values.map((value) =>
    made(
      "tr",
      {},
      made("th", { scope: "row", dir: "auto" }, value.value),
      made("td", {}, bar(value), figure(value.prior, percent), " to ", figure(value.likeliest, percent)),
      made("td", {}, value.width === null ? "" : "± ", figure(value.width === null ? null : value.width / 2, percent)),
    ),
  );
  const factor = factorOf(question);
  const gives = question.epsilon === null ? "No epsilon holds." : null;
  return made(
    "div",
    { id: `cost.${question.name}` },
    made(
      "table",
      {},
      made("caption", {}, question.name),
      made(
        "thead",
        {},
        made(
          "tr",
          {},
          ...["answer", "how likely: before, and at most after", `share, of ${respondents} people`].map((each) =>
            made("th", { scope: "col" }, each),
          ),
        ),
      ),
      made("tbody", {}, ...rows),
    ),
    made(
      "p",
      {},
      gives ?? made("span", {}, "Epsilon ", figure(question.epsilon, three), "."),
      " ",
      made("span", {}, figure(question.bits, three), " of ", figure(question.entropy, three), " bits of it stay unknown."),
    ),
    factor !== null &&
      made(
        "p",
        { className: "price" },
        ...(factor > 1.05
          ? ["It takes ", figure(factor, (each) => each.toFixed(1)), " times as many people as asked openly."]
          : ["It takes as many people as asked openly."]),
      ),
  );
}

/** The figures of the chosen question, and of the whole response. @param {Table | null} question @param {Shown} shown @returns {Node[]} */
export function costOf(question, shown) {
  const { figures, respondents, survey } = shown.state;
  if (!figures) return [made("p", { className: "quiet", id: "cost.none" }, "Figures are shown once nothing is left to mend.")];
  const tables = question ? figuresOf(question, shown).map((each) => tableOf(each, respondents)) : [];
  const { epsilon } = figures.response;
  const lines = figures.check.lines ?? [];
  return [
    figures.stale || !survey
      ? made("p", { className: "wrong", id: "cost.stale" }, "These are the figures from before: something is left to mend.")
      : null,
    ...tables,
    made(
      "p",
      { id: "cost.whole" },
      made("b", {}, "The whole response: "),
      ...(epsilon === null ? ["no epsilon holds."] : ["epsilon ", figure(epsilon, three), "."]),
    ),
    lines.length > 0 &&
      made(
        "details",
        { id: "cost.lines" },
        made("summary", {}, "All of it in words"),
        made("ul", {}, ...lines.map((each) => made("li", {}, each))),
      ),
  ].filter((each) => each instanceof Node);
}
