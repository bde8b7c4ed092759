/**
 * The disguise. Pure: no page, no network, and chance is an argument. The Python twin is `disguise` in
 * tests/support/one_respondent.py; tests/vectors/disguise.json and responses.json tie the two.
 */

import { drawCode } from "./coding.mjs";
import { draw } from "./coins.mjs";

/** What should be a response does not fit the design. It never repeats a code. */
export class ResponseError extends Error {
  constructor(place) {
    super(place);
    this.name = "ResponseError";
    this.place = place;
  }
}

/**
 * Refuse a design with which a sensitive answer could be sent in another way than the odds say: one that no coin covers, with
 * chances that are none, or with a complement that is none. What else a design has to be was checked where it was published.
 *
 * @type {(design: Design) => void}
 */
export function checkDesign({ questions, groups, sampling }) {
  const covered = groups.flatMap((group) => group.questions);
  const isWhole = (number) => Number.isInteger(number) && number >= 0;
  for (const { name, truth, odds } of groups) {
    const [numerator, denominator] = truth ?? (sampling && odds) ?? [];
    const isChance = isWhole(numerator) && isWhole(denominator) && (odds || (denominator > 0 && numerator <= denominator));
    if (!isChance) throw new ResponseError(`group "${name}"`);
  }
  for (const { name, sensitive, values, coding } of questions) {
    const coins = covered.filter((each) => each === name).length;
    const isDrawn = coding.draws.flat().every(([code, weight]) => coding.codes.includes(code) && weight > 0 && isWhole(weight));
    const mask = coding.codes[coding.codes.length - 1]; // a complement flips every bit
    const isReplaced = !coding.replacement || (coding.replacement.length === coding.codes.length && coding.replacement.every(isWhole));
    const isTurned = !coding.complements || coding.codes.every((code, at) => coding.complements?.[at] === mask - code);
    const isSound = coins === Number(sensitive) && isDrawn && isReplaced && isTurned && coding.draws.length === values.length;
    if (!isSound) throw new ResponseError(`question "${name}"`);
  }
}

/**
 * Disguise one respondent's codes, group by group, in survey order. One coin for each group says whether it is sent as it is.
 * If not, a complement group has every code complemented, and in a uniform group each question, in order, takes any of its
 * codes with equal chance, or as is published.
 *
 * @type {(design: Design, codes: Readonly<Record<string, number>>, words: Words) => Record<string, number>}
 */
export function disguise(design, codes, words) {
  checkResponse(design, codes);
  const sent = { ...codes };
  for (const { channel, truth, questions } of design.groups) {
    const [numerator, denominator] = truth;
    if (draw(denominator, words) < numerator) continue;
    for (const name of questions) {
      const { coding } = design.questions.find((question) => question.name === name);
      const { codes: every, complements, replacement } = coding;
      const place = every.indexOf(codes[name]);
      sent[name] = complements ? complements[place] : drawCode(every.map((code, at) => [code, replacement?.[at] ?? 1]), words);
    }
  }
  return sent;
}

/** Refuse what is not exactly one code for every question, each one of its codes. @type {(design: Design, response: unknown) => void} */
export function checkResponse(design, response) {
  if (typeof response !== "object" || response === null || Array.isArray(response)) throw new ResponseError("codes");
  const codes = new Map(Object.entries(response));
  const known = (key) => design.questions.some(({ name }) => name === key);
  if (![...codes.keys()].every(known)) throw new ResponseError("codes");
  for (const { name, coding } of design.questions) {
    if (!coding.codes.includes(codes.get(name))) throw new ResponseError(`question "${name}"`);
  }
}

/**
 * The spaces that make a response as long as the longest: its length tells neither the codes nor who was asked what.
 *
 * @type {(design: Design, codes: Readonly<Record<string, number | null>>) => string}
 */
export function padding({ questions, sampling }, codes) {
  const spare = questions.map(({ name, coding }) => {
    const longest = `${coding.codes[coding.codes.length - 1]}`.length;
    return Math.max(longest, sampling ? "null".length : 0) - `${codes[name]}`.length;
  });
  return " ".repeat(spare.reduce((sum, each) => sum + each, 0));
}
