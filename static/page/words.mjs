// @ts-check
/** Values and codes as a respondent reads them: Yes, first, 400 to under 800 EUR. */

import { numberWords } from "./numbers.mjs";
import { fill } from "./questions.mjs";

/**
 * @typedef {import("../design").Question} Question
 * @typedef {import("./questions.mjs").Texts} Texts
 */

/** How the values of a question read, in order. @type {(question: Question, language: string, texts: Texts) => string[]} */
export function valueWords({ kind, values, words, cuts, unit }, language, texts) {
  if (words.length) return words.map((text) => text[language]);
  if (kind === "yes_no") return [texts.yes, texts.no];
  if (kind !== "number") return readable(values);
  const written = cuts.map((cut) => numberWords(cut, language));
  // 1 stands alone: "1 days" is wrong, and the question names the unit
  const measured = written.map((each, at) => (unit && Math.abs(cuts[at]) !== 1 ? `${each} ${unit}` : each));
  const inner = measured.slice(1).map((high, at) => fill(texts.between, { low: written[at], high }));
  return [fill(texts.under, { number: measured[0] }), ...inner, fill(texts.least, { number: measured[measured.length - 1] })];
}

/** Values without words, as words: not_at_all reads "not at all" where no other value does. @type {(values: readonly string[]) => string[]} */
function readable(values) {
  const words = values.map((name) => name.replaceAll("_", " ").trim() || name);
  return new Set(words).size === words.length ? words : [...values];
}

/** What a code stands for. @type {(question: Question, code: number, values: readonly string[], texts: Texts) => string} */
export function codeWords({ coding }, code, values, texts) {
  const meant = values.filter((_, value) => coding.draws[value].some(([each]) => each === code));
  if (meant.length > 1) return fill(texts["one-of"], { answers: meant.join(texts.comma) });
  if (!meant.length) return fill(texts.bare, { code });
  const alone = coding.draws[values.indexOf(meant[0])].length === 1;
  return alone ? meant[0] : fill(texts["with-code"], { answer: meant[0], code });
}
