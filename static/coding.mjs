// @ts-check
/**
 * Answers to codes, in the page and nowhere else. Pure: no page, no network, and chance is an argument.
 * The Python twin is `code_answers` in miner/simulate.py; tests/vectors/coding.json ties the two.
 */

import { draw } from "./coins.mjs";

/**
 * @typedef {import("./coins.mjs").Words} Words
 * @typedef {import("./design.mjs").Design} Design
 * @typedef {import("./design.mjs").Question} Question
 * @typedef {Record<string, number>} Codes One code for each question, by name.
 */

/** An answer is missing or is none that the question has. It never repeats the answer. */
export class AnswerError extends Error {
  /**
   * @param {string} question - Its name.
   * @param {"missing" | "number" | "minimum"} problem
   */
  constructor(question, problem) {
    super(`question "${question}": ${problem}`);
    this.name = "AnswerError";
    this.question = question;
    this.problem = problem;
  }
}

/**
 * Code one respondent's answers.
 *
 * A value with several codes takes one draw, in question order; a value with one code takes none.
 *
 * @param {Design} design
 * @param {Record<string, string | number>} answers - For each question one of its values, or a number.
 * @param {Words} words
 * @returns {Codes}
 * @throws {AnswerError} Naming the first question whose answer is missing or does not fit.
 */
export function codeAnswers(design, answers, words) {
  const values = design.questions.map((question) => valueOf(question, answers)); // all of them before any draw
  return Object.fromEntries(
    design.questions.map(({ name, coding }, index) => [name, drawCode(coding.draws[values[index]], words)]),
  );
}

/**
 * The index of the value that an answer means.
 *
 * @type {(question: Question, answers: Record<string, string | number>) => number}
 * @throws {AnswerError}
 */
export function valueOf({ name, kind, values, minimum, cuts }, answers) {
  const answer = Object.hasOwn(answers, name) ? answers[name] : undefined;
  if (kind !== "number") {
    const value = values.indexOf(/** @type {string} */ (answer));
    if (value < 0) throw new AnswerError(name, "missing");
    return value;
  }
  if (typeof answer !== "number" || !Number.isFinite(answer)) throw new AnswerError(name, "number");
  if (minimum !== null && answer < minimum) throw new AnswerError(name, "minimum");
  return cuts.filter((cut) => cut <= answer).length;
}

/** One code of several, each with its weight. @type {(draws: readonly (readonly [number, number])[], words: Words) => number} */
export function drawCode(draws, words) {
  if (draws.length === 1) return draws[0][0];
  let left = draw(draws.reduce((sum, [, weight]) => sum + weight, 0), words);
  const chosen = draws.findIndex(([, weight]) => (left -= weight) < 0);
  return draws[chosen][0];
}

/**
 * Read a number as people write it: 1200, 12.5, 12,5, 1 200 or ١٢٠٠. What could mean two numbers is refused: in 1,200 and
 * 1.200 the mark stands for thousands to some and for a fraction to others.
 *
 * @param {string} text
 * @returns {number | null} Null if it is no number, or could be two.
 */
export function readNumber(text) {
  const digits = text.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) % 16));
  const spaced = digits.trim().replace(/^\u2212/, "-").replace("\u066b", ",");
  const joined = /^-?\d{1,3}([\s']\d{3})+([.,]\d+)?$/.test(spaced) ? spaced.replace(/[\s']/g, "") : spaced;
  if (!/^-?\d{1,15}([.,]\d{1,15})?$/.test(joined) || /^-?[1-9]\d{0,2}[.,]\d{3}$/.test(spaced)) return null;
  return Number(joined.replace(",", "."));
}
