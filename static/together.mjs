// @ts-check
/**
 * One code for the answers to the two questions that a respondent is asked: a set of their combinations that has the true
 * one in it. The page loads this for a survey that asks for it, and no other. Pure: no page, no network, and chance is an
 * argument. The families of codes are those of collector/pair_coding.py; the Python twin of the draw is `draw_pair` in
 * miner/simulate.py, and tests/vectors/together.json ties the two.
 */

import { codeAnswers } from "./coding.mjs";
import { draw } from "./coins.mjs";
import { ResponseError } from "./disguise.mjs";
import { Fields, check, divisor } from "./fields.mjs";

/**
 * @typedef {import("./coins.mjs").Words} Words
 * @typedef {import("./coding.mjs").Codes} Codes
 * @typedef {import("./design.mjs").Design} Design
 * @typedef {import("./design.mjs").Group} Group
 *
 * @typedef {object} PairCoding
 * @property {number} combinations - How many the two answers have.
 * @property {string} scheme - "plain", "subsets" or "affine".
 * @property {number} points - As many, or of affine codes the next prime.
 * @property {number} size - How many points a code stands for.
 */

const WORD = 2 ** 32;
const HALF = 15; // bits of a digit
const DIGIT = 2 ** HALF;
const LARGEST_PRIME = 32749;
const DIGITS = Array.from({ length: DIGIT }, (_, digit) => digit);

/**
 * What the page needs of such a survey: the design with what is sent of each question, any digit, in place of its codes;
 * the same of the part that is asked; and how its answers become what is sent.
 *
 * @param {Design} design
 * @param {Design} asked
 * @throws {import("./fields.mjs").DesignError} If the answers cannot be coded so.
 */
export function together(design, asked) {
  const codings = readTogether(design);
  const respond = (/** @type {Record<string, string | number>} */ answers, /** @type {Words} */ coding, /** @type {Words} */ coins) =>
    codeTogether(codings, asked, codeAnswers(asked, answers, coding), coins);
  return { design: inDigits(design), asked: inDigits(asked), respond };
}

/** @type {(design: Design) => Design} */
function inDigits(design) {
  const questions = design.questions.map((question) => {
    const draws = question.values.map(() => []); // a digit stands for no value
    return { ...question, coding: { ...question.coding, codes: DIGITS, draws } };
  });
  return { ...design, questions };
}

/**
 * The codings, by the rules of collector/pair_channel.py and pair_coding.py, the same places named.
 *
 * @param {Design} design
 * @returns {readonly PairCoding[]}
 * @throws {import("./fields.mjs").DesignError}
 */
export function readTogether({ questions, groups, sampling }) {
  const group = /** @type {Group} */ (groups.find((each) => each.together));
  const [place, odds] = [`group "${group.name}"`, /** @type {readonly [number, number]} */ (group.odds)];
  const codings = /** @type {any[]} */ (group.together).map((table, index) => {
    const fields = new Fields(table, `${place}, together number ${index + 1}`);
    return fields.read({ combinations: "integer", scheme: "text", points: "integer", size: "integer" });
  });
  const numbers = sampling?.ask === 2 && group.questions.length === questions.length ? pairs({ questions, sampling }) : [];
  const listed = numbers.length > 0 && `${codings.map(({ combinations }) => combinations)}` === `${numbers}`;
  check(codings.every(isDesign) && listed && questions.every(({ coding }) => coding.scheme === "plain"), `${place}, together`);
  for (const coding of codings) check(coinOf(odds, coding)[1] <= WORD, `${place}, odds`);
  return codings;
}

/** How many combinations any two answers have that may be asked together, ascending. @type {(design: any) => number[]} */
function pairs({ questions, sampling }) {
  const numbers = questions.flatMap((/** @type {any} */ one, /** @type {number} */ index) =>
    questions
      .slice(index + 1)
      .filter((/** @type {any} */ other) => sampling.always.every((/** @type {string} */ name) => [one.name, other.name].includes(name)))
      .map((/** @type {any} */ other) => one.values.length * other.values.length),
  );
  return [...new Set(/** @type {number[]} */ (numbers))].sort((a, b) => a - b);
}

/** @type {(coding: PairCoding) => boolean} */
function isDesign({ combinations, scheme, points, size }) {
  const known = ["plain", "subsets", "affine"].includes(scheme) && combinations >= 4 && combinations <= LARGEST_PRIME;
  const fits = known && size >= 1 && size < combinations && (scheme === "plain") === (size === 1);
  if (!fits || scheme !== "affine") return fits && points === combinations && (scheme === "plain" || points <= 2 * HALF);
  return isPrime(points) && points >= combinations && !DIGITS.slice(combinations, points).some(isPrime);
}

/** @type {(number: number) => boolean} */
function isPrime(number) {
  for (let each = 2; each * each <= number; each += 1) if (number % each === 0) return false;
  return number > 1;
}

/** How many numbers say truth, and of how many: o / (o + n/s). @type {(odds: readonly [number, number], coding: PairCoding) => [number, number]} */
function coinOf(odds, { points, size }) {
  const common = divisor(points, size);
  return [(odds[0] * size) / common, (odds[0] * size + odds[1] * points) / common];
}

/**
 * One code for the two answers, or any code if the coin says so.
 *
 * @param {readonly PairCoding[]} codings
 * @param {Design} asked - The two questions.
 * @param {Codes} codes - Their true codes.
 * @param {Words} words
 * @returns {Codes} What may be sent.
 * @throws {ResponseError} If it is no code.
 */
export function codeTogether(codings, { questions, groups }, codes, words) {
  const [one, other] = questions;
  const kinds = other.values.length;
  const coding = codings.find(({ combinations }) => combinations === one.values.length * kinds);
  if (questions.length !== 2 || !coding) throw new ResponseError("codes");
  const [truthful, bound] = coinOf(/** @type {readonly [number, number]} */ (groups[0].odds), coding);
  const lies = draw(bound, words) >= truthful;
  const digits = drawPair(coding, lies ? null : codes[one.name] * kinds + codes[other.name], words);
  if (!isCode(coding, digits)) throw new ResponseError("codes");
  return { [one.name]: digits[0], [other.name]: digits[1] };
}

/**
 * A code of a combination, each as likely; without one any code. Of subsets one draw for each further combination that the
 * code stands for; of affine codes one for the factor and one for the place of the combination, or the shift.
 *
 * @param {PairCoding} coding
 * @param {number | null} combination
 * @param {Words} words
 * @returns {readonly [number, number]} Two digits.
 */
export function drawPair({ scheme, points, size }, combination, words) {
  if (scheme === "subsets") {
    const drawn = combination === null ? [] : [combination];
    const left = DIGITS.slice(0, points).filter((each) => each !== combination);
    while (drawn.length < size) drawn.push(...left.splice(draw(left.length, words), 1));
    const half = (/** @type {number} */ which) =>
      drawn.filter((each) => Math.floor(each / HALF) === which).reduce((mask, each) => mask + 2 ** (each % HALF), 0);
    return [half(0), half(1)];
  }
  if (scheme === "plain") return [combination ?? draw(points, words), 0];
  const factor = 1 + draw(points - 1, words);
  if (combination === null) return [factor, draw(points, words)];
  const shift = (draw(size, words) - factor * combination) % points;
  return [factor, shift < 0 ? shift + points : shift];
}

/** Whether two digits are a code. @type {(coding: PairCoding, digits: readonly [number, number]) => boolean} */
export function isCode({ scheme, points, size }, [first, second]) {
  if (![first, second].every((digit) => Number.isInteger(digit) && digit >= 0 && digit < DIGIT)) return false;
  if (scheme === "plain") return first < points && second === 0;
  if (scheme === "affine") return first > 0 && first < points && second < points;
  const mask = first + DIGIT * second;
  return mask < 2 ** points && mask.toString(2).replaceAll("0", "").length === size;
}
