// @ts-check
/** Building the screens of questions from the published design, with texts as texts: nothing in them is ever markup. */

import { element, fill, made } from "./questions.mjs";
import { groupRadios } from "./radios.mjs";

/**
 * @typedef {import("../design").Question} Question
 * @typedef {import("./questions.mjs").Texts} Texts
 */

const language = document.documentElement.lang;

/**
 * The screen of one question, hidden and disabled; its odds are a headline and what that does not say.
 *
 * @type {(question: Question, count: string, odds: readonly string[], values: readonly string[], texts: Texts) => HTMLElement}
 */
export function buildScreen(question, count, odds, values, texts) {
  const isNumber = question.kind === "number";
  const section = copyOf(isNumber ? "number" : "choice", question.name);
  const part = (/** @type {string} */ selector) => /** @type {any} */ (section.querySelector(selector));
  part(".count").textContent = count;
  (part("label") ?? part("h1")).textContent = question.label[language];
  part(".hint").textContent = question.hint?.[language] ?? "";
  part("p.odds").textContent = odds[0];
  part("ul").append(...odds.slice(1).map((line) => made("li", line)));
  if (odds.length === 1) part("details").remove();
  if (isNumber) part("span:last-child").textContent = unitOf(question, texts);
  else addChoices(part("fieldset"), question, values);
  return section;
}

/** @type {(question: Question, texts: Texts) => string} */
function unitOf({ unit, minimum, maximum }, texts) {
  const least = minimum !== null && fill(texts.least, { number: minimum });
  const bounds = maximum === null ? least : `${minimum ?? "\u2026"}\u2013${maximum}`;
  return (unit ?? "") + (bounds ? ` (${bounds})` : "");
}

/** One radio for each value. @type {(fieldset: HTMLElement, question: Question, words: readonly string[]) => void} */
function addChoices(fieldset, question, words) {
  question.values.forEach((value, index) => {
    const choice = made("label", words[index], { className: "choice" });
    choice.prepend(made("input", "", { type: "radio", id: `q-${question.name}-${index}`, value, disabled: true }));
    fieldset.append(choice);
  });
  groupRadios(fieldset);
}

/** What a code stands for. @type {(question: Question, code: number, values: readonly string[], texts: Texts) => string} */
export function codeWords({ coding }, code, values, texts) {
  const meant = values.filter((_, value) => coding.draws[value].some(([each]) => each === code));
  if (meant.length > 1) return fill(texts["one-of"], { answers: meant.join(texts.comma) });
  if (!meant.length) return fill(texts.bare, { code });
  const alone = coding.draws[values.indexOf(meant[0])].length === 1;
  return alone ? meant[0] : fill(texts["with-code"], { answer: meant[0], code });
}

/**
 * How often a code is sent, in words. The shares say of how many people, out of `base`, and with which answer: null for any
 * other, -1 for any that the code stands for.
 *
 * @type {(shares: readonly [string, number | null][], base: number, values: readonly string[], texts: Texts) => string}
 */
export function codeOdds(shares, base, values, texts) {
  if (!shares.length) return texts.never;
  const people = shares.map(([count, value]) => {
    const text = value === null ? texts.others : value < 0 ? texts.these : texts.people;
    return fill(text, { count, base, answer: values[value ?? 0] });
  });
  const last = people.pop();
  const first = people.join(texts.comma);
  return fill(texts.code, { people: first ? fill(texts.and, { first, last }) : last });
}

/** What is in a template, with the question's name put in. @type {(id: string, name: string) => HTMLElement} */
function copyOf(id, name) {
  const copy = element(id).content.firstElementChild.cloneNode(true);
  for (const part of [copy, ...copy.querySelectorAll("*")]) {
    for (const attribute of part.attributes) attribute.value = attribute.value.replaceAll("NAME", name);
  }
  return copy;
}
