/** Values and codes as a respondent reads them: Yes, first, 400 to under 800 EUR. */

import { fill } from "./questions.mjs";

/** Values that say why there is no other. */
export const EXTRAS = ["prefer_not_to_say", "no_answer", "not_applicable"];

/** How the values of a question read, in order; `numbers` is numbers.mjs, where there are any. */
export function valueWords(question, screen, language, texts, numbers) {
  const base = question.values.filter((value) => !EXTRAS.includes(value));
  const words = baseWords(question, base, screen, language, texts, numbers);
  return question.values.map((value, at) => {
    const own = question.words[at]?.[language];
    if (EXTRAS.includes(value)) return own && own !== value ? own : texts[value];
    return own ?? words[base.indexOf(value)];
  });
}

function baseWords(question, base, screen, language, texts, numbers) {
  const { kind, values, words } = question;
  if (words.length) return [];
  if (kind === "yes_no" || (base.length < values.length && base.join() === "yes,no")) return [texts.yes, texts.no];
  const items = new Map(screen.items?.map(([name, text]) => [name, text[language]]));
  if (items.size) return base.map((order) => order.split(">").map((name) => items.get(name)).join(" \u203a "));
  return isWritten(screen, question) ? numbers.intervalWords(question, screen, language, texts) : readable(base);
}

/** Whether an answer is written: a number or a date. */
export const isWritten = ({ cuts }, { kind }) => kind === "number" || Boolean(cuts);

/** Values without words, as words: not_at_all reads "not at all" where no other value does. */
function readable(values) {
  const words = values.map((name) => name.replaceAll("_", " ").trim() || name);
  return new Set(words).size === words.length ? words : [...values];
}

/** What a code stands for. */
export function codeWords({ coding }, code, values, texts) {
  const own = coding.scheme === "routed" ? coding.draws.slice(0, -1) : coding.draws;
  const meant = values.filter((_, value) => own[value]?.some(([each]) => each === code));
  if (meant.length > 1) return fill(texts["one-of"], { answers: meant.join(texts.comma) });
  if (!meant.length) return fill(texts.bare, { code });
  const alone = coding.draws[values.indexOf(meant[0])].length === 1;
  return alone ? meant[0] : fill(texts["with-code"], { answer: meant[0], code });
}
