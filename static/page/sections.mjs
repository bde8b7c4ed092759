// @ts-check
/** Building the screens of questions from the published design, with texts as texts: nothing in them is ever markup. */

import { numberWords } from "./numbers.mjs";
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
 * @type {(asked: import("./odds.mjs").Asked, count: string, odds: readonly string[], texts: Texts) => HTMLElement}
 */
export function buildScreen({ question, words }, count, odds, texts) {
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
  else addChoices(part("fieldset"), question, words);
  return section;
}

/** @type {(question: Question, texts: Texts) => string} */
function unitOf({ unit, minimum, maximum }, texts) {
  const [low, high] = [minimum, maximum].map((each) => ((each ?? null) === null ? null : numberWords(Number(each), language)));
  const bounds = high ? `${low ?? "\u2026"}\u2013${high}` : low && fill(texts.least, { number: low });
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

/** What is in a template, with the question's name put in. @type {(id: string, name: string) => HTMLElement} */
function copyOf(id, name) {
  const copy = element(id).content.firstElementChild.cloneNode(true);
  for (const part of [copy, ...copy.querySelectorAll("*")]) {
    for (const attribute of part.attributes) attribute.value = attribute.value.replaceAll("NAME", name);
  }
  return copy;
}
