/** Values and codes as they read: Yes, first, 400 to under 800 EUR. The Python twin is collector/wording/wording.py, which words intervals for both. */

import { TOGETHER, isolated, fill } from "./questions.mjs";

/** Values that say why there is no other. */
export const EXTRAS = ["prefer_not_to_say", "no_answer", "not_applicable"];

/** How the values of a question read, in order. */
export function valueWords(question, screen, language, texts) {
  const base = question.values.filter((value) => !EXTRAS.includes(value));
  const words = baseWords(question, base, screen, language, texts);
  return question.values.map((value, at) => {
    const own = isolated(question.words[at]?.[language]);
    if (EXTRAS.includes(value)) return own && own !== value ? own : texts[value];
    return own ?? words[base.indexOf(value)];
  });
}

function baseWords(question, base, screen, language, texts) {
  const { kind, name, values, words } = question;
  if (words.length) return [];
  if (kind === "yes_no" || (base.length < values.length && base.join() === "yes,no")) return [texts.yes, texts.no];
  const label = (own) => isolated((screen.items.find(([item]) => item === own)?.[1] ?? screen.none)?.[language]) ?? texts.unticked;
  if (screen.items) return base.map((value) => value.split(/[+>]/).map(label).join(screen.kind === "ranking" ? " \u203a " : TOGETHER));
  return texts.intervals?.[name] ?? readable(base);
}

/** Whether it is typed. */
export const isWritten = (screen, question) => [screen.kind, question.kind].includes("number");

/** not_at_all reads "not at all" where no other value does. */
function readable(values) {
  const words = values.map((name) => name.replaceAll("_", " ").trim() || name);
  return new Set(words).size === words.length ? words : [...values];
}

/** Without those who are not asked: a draw from the others. */
export const owners = ({ scheme, draws }) => (scheme === "routed" ? draws.slice(0, -1) : draws);

/** What a code stands for. */
export function codeWords({ coding }, code, values, texts) {
  const own = owners(coding);
  const meant = values.filter((_, at) => own[at]?.some(([each]) => each === code));
  if (meant.length > 1) return fill(texts["one-of"], { answers: meant.join(texts.comma) });
  if (!meant.length) return fill(texts.bare, { code });
  const alone = own[values.indexOf(meant[0])].length === 1;
  return alone ? meant[0] : fill(texts["with-code"], { answer: meant[0], code });
}
