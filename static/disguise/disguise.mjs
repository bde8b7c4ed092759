// @ts-check
/**
 * The disguise. Pure: no page, no network, and chance is an argument. The Python twin is `disguise` in
 * miner/simulate.py; tests/vectors/disguise.json and responses.json tie the two.
 */

import { drawCode } from "./coding.mjs";
import { draw } from "./coins.mjs";

/**
 * @typedef {import("./coins.mjs").Words} Words
 * @typedef {import("./coding.mjs").Codes} Codes
 * @typedef {import("../page/design.mjs").Design} Design
 * @typedef {import("../page/design.mjs").Question} Question
 */

/** What should be a response does not fit the design. It never repeats a code. */
export class ResponseError extends Error {
  /** @param {string} place */
  constructor(place) {
    super(place);
    this.name = "ResponseError";
    this.place = place;
  }
}

/**
 * Disguise one respondent's codes, group by group, in survey order.
 *
 * One coin for each group says whether it is sent as it is. If not, a complement group has every code complemented,
 * and in a uniform group each question, in order, takes any of its codes with equal chance, or as is published.
 *
 * @param {Design} design
 * @param {Readonly<Codes>} codes - The true codes, one for each question.
 * @param {Words} words
 * @returns {Codes} What may be sent.
 * @throws {ResponseError} If the codes do not fit the design.
 */
export function disguise(design, codes, words) {
  checkResponse(design, codes);
  const sent = { ...codes };
  for (const { channel, truth, questions } of design.groups) {
    const [numerator, denominator] = /** @type {readonly [number, number]} */ (truth);
    if (draw(denominator, words) < numerator) continue;
    for (const name of questions) {
      const { coding } = /** @type {Question} */ (design.questions.find((question) => question.name === name));
      const { codes: every, complements, replacement } = coding;
      const place = every.indexOf(codes[name]);
      sent[name] = complements ? complements[place] : drawCode(every.map((code, at) => [code, replacement?.[at] ?? 1]), words);
    }
  }
  return sent;
}

/**
 * Refuse what is not one response: exactly one code for every question, each one of the question's codes.
 *
 * @param {Design} design
 * @param {unknown} response - Codes by question name.
 * @throws {ResponseError} Naming the place.
 */
export function checkResponse(design, response) {
  if (typeof response !== "object" || response === null || Array.isArray(response)) throw new ResponseError("codes");
  const codes = new Map(Object.entries(response));
  const known = (/** @type {string} */ key) => design.questions.some(({ name }) => name === key);
  if (![...codes.keys()].every(known)) throw new ResponseError("codes");
  for (const { name, coding } of design.questions) {
    if (!coding.codes.includes(codes.get(name))) throw new ResponseError(`question "${name}"`);
  }
}
