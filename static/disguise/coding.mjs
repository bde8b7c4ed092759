/**
 * Answers to codes, in the page and nowhere else. Pure: no page, no network, and chance is an argument.
 * The Python twin is `code_answers` in tests/support/one_respondent.py; tests/vectors/coding.json ties the two.
 */

import { draw } from "./coins.mjs";

/** An answer is missing or is none that the question has. It never repeats the answer. */
export class AnswerError extends Error {
  constructor(question, problem) {
    super(`question "${question}": ${problem}`);
    this.name = "AnswerError";
    this.question = question;
    this.problem = problem;
  }
}

/**
 * Code one respondent's answers. A value with several codes takes one draw, in question order; one with one code takes none.
 * An AnswerError names the first question whose answer is missing or does not fit.
 *
 * @type {(design: Design, answers: Record<string, string | number>, words: Words) => Record<string, number>}
 */
export function codeAnswers(design, answers, words) {
  const values = design.questions.map((question) => valueOf(question, answers)); // all of them before any draw
  return Object.fromEntries(
    design.questions.map(({ name, coding }, index) => [name, drawCode(coding.draws[values[index]], words)]),
  );
}

/** The index of the value that an answer means. @type {(question: Question, answers: Record<string, string | number>) => number} */
export function valueOf({ name, kind, values, minimum, maximum, cuts, whole }, answers) {
  const answer = Object.hasOwn(answers, name) ? answers[name] : undefined;
  if (kind !== "number") {
    const value = values.indexOf(answer);
    if (value < 0) throw new AnswerError(name, "missing");
    return value;
  }
  const [problem, fits] = whole ? ["whole", Number.isInteger] : ["number", Number.isFinite];
  if (!fits(answer)) throw new AnswerError(name, problem);
  if (minimum !== null && answer < minimum) throw new AnswerError(name, "minimum");
  if (maximum !== null && answer > maximum) throw new AnswerError(name, "maximum");
  return cuts.filter((cut) => cut <= answer).length;
}

/** One code of several, each with its weight. @type {(draws: readonly (readonly [number, number])[], words: Words) => number} */
export function drawCode(draws, words) {
  if (draws.length === 1) return draws[0][0];
  let left = draw(draws.reduce((sum, [, weight]) => sum + weight, 0), words);
  const chosen = draws.findIndex(([, weight]) => (left -= weight) < 0);
  return draws[chosen][0];
}

/** The likelihood ratio of a code that the truth may give: K/s in lowest terms. @type {(coding: Coding) => readonly [number, number]} */
export function sharpness({ codes, draws }) {
  const common = divisor(codes.length, draws[0].length);
  return [codes.length / common, draws[0].length / common];
}

/** The greatest common divisor, of BigInts too. */
export function divisor(a, b) {
  return b ? divisor(b, a % b) : a;
}
