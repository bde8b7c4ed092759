// @ts-check
/** The questions as they stand in the page: what was answered, what is wrong with it, and small parts of screens. */

import { AnswerError, valueOf } from "../disguise/coding.mjs";
import { numberWords, readNumber } from "./numbers.mjs";

/**
 * @typedef {import("../design").Question} Question
 * @typedef {Record<string, string>} Texts What the script says, by name.
 */

/** @type {(id: string) => any} */
export const element = (id) => document.getElementById(id);
/** @type {(selector: string) => NodeListOf<any>} */
export const all = (selector) => document.querySelectorAll(selector);
/** @type {(tag: string, text: string, more?: object) => HTMLElement} */
export const made = (tag, textContent, more) => Object.assign(document.createElement(tag), { textContent }, more);
/** A text with its {places} taken by what they stand for. @type {(text: string, parts: Record<string, any>) => string} */
export const fill = (text, parts) => text.replace(/\{(\w+)\}/g, (_, name) => parts[name]);

const { lang } = document.documentElement;
const MARK = new Intl.NumberFormat(lang, { numberingSystem: "latn" }).format(12345)[2]; // of thousands, as in 12,345

/** What was answered: a value, a number, or something that is neither. @type {(name: string) => any} */
export function answerTo(name) {
  const question = element(`q-${name}-question`);
  const text = question.querySelector("[type=text]");
  if (text) return readNumber(text.value, MARK);
  return question.querySelector(":checked")?.value;
}

/** What is wrong with an answer, in words; empty if nothing is. */
export function problemWith(/** @type {Question} */ question, /** @type {Texts} */ texts) {
  try {
    valueOf(question, { [question.name]: answerTo(question.name) });
    return "";
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error;
    const [minimum, maximum] = [question.minimum, question.maximum].map((each) => numberWords(each ?? 0, lang));
    return fill(texts[error.problem], { minimum, maximum });
  }
}

/** Say what is wrong, at the question and in a summary on top; whether anything is. */
export function complain(/** @type {Question} */ question, /** @type {Texts} */ texts) {
  const [problem, section] = [problemWith(question, texts), element(`q-${question.name}-question`)];
  const text = section.querySelector("[type=text]");
  const control = text ?? section.querySelector("[tabindex='0']");
  const line = element(`q-${question.name}-error`);
  line.textContent = problem && texts.error + problem;
  line.hidden = !problem;
  (text ?? section.querySelector("fieldset"))?.setAttribute("aria-invalid", String(Boolean(problem)));
  if (problem) summarise(problem, control, texts.error);
  return Boolean(problem);
}

/** @type {(problem: string, control: HTMLElement, mark: string) => void} */
function summarise(problem, control, mark) {
  const [summary, link] = [element("summary"), element("summary").querySelector("a")];
  link.textContent = problem;
  link.href = `#${control.id}`;
  link.onclick = (/** @type {Event} */ event) => {
    event.preventDefault(); // the address stays as it is
    control.focus();
  };
  summary.hidden = false;
  markTitle(mark);
  summary.focus();
}

/** Have the window's title say that something is wrong. @type {(mark: string) => void} */
export function markTitle(mark) {
  if (!document.title.startsWith(mark)) document.title = mark + document.title;
}

/** @type {(term: string, definition: HTMLElement) => HTMLElement} */
export function row(term, definition) {
  const group = document.createElement("div");
  group.append(made("dt", term), definition);
  return group;
}

/** @type {(question: HTMLElement) => string} */
export function headingOf(question) {
  return question.querySelector("h1")?.textContent ?? "";
}

/** The odds of a question, led by its number. @type {(question: HTMLElement) => string} */
export function oddsOf(question) {
  return `${question.querySelector(".count")?.textContent}: ${question.querySelector(".odds")?.textContent}`;
}
