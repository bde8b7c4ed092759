/** The screens of questions as they stand in the page: what was answered, what is wrong with it, and small parts of screens. */

import { AnswerError, valueOf } from "../disguise/coding.mjs";

// A part is a screen of questions: what the design says of it, what it asks, its element, and `read`, which gives the answers
// by question (a value, a number, or something that is neither) or throws an AnswerError.

export const element = (id) => document.getElementById(id);
export const all = (selector) => document.querySelectorAll(selector);
export const made = (tag, textContent, more) => Object.assign(document.createElement(tag), { textContent }, more);
/** A text with its {places} taken by what they stand for. */
export const fill = (text, parts) => text.replace(/\{(\w+)\}/g, (_, name) => parts[name]);

export const language = document.documentElement.lang;

/** Mark a text with its language where the words around it have another: the first, where it lacks a translation. */
export function mark(target, text) {
  const first = element("survey").dataset.first;
  const own = text?.[language] === text?.[first] ? first : language;
  if (text && own !== (document.body.lang || language)) Object.assign(target, { lang: own, dir: "auto" });
  return target;
}

/** All answers so far, those to screens that do not apply included, and which screens do; what is wrong ends it. */
export function collect(parts) {
  const answers = {};
  const values = new Map(); // what each answer means
  let open = -1; // the first screen that is not answered
  const applies = parts.map(({ screen, asks, read }, at) => {
    const met = (screen.ask_if ?? []).every(([name, wanted]) => wanted.includes(values.get(name)));
    const skipped = Object.fromEntries(asks.map(({ question }) => [question.name, "not_applicable"]));
    if (met && problemWith(parts[at])) open = open < 0 ? at : open;
    else Object.assign(answers, met ? read() : skipped);
    for (const { question } of asks) if (Object.hasOwn(answers, question.name)) values.set(question.name, question.values[valueOf(question, answers)]);
    return met;
  });
  return { answers, applies, open };
}

/** What is wrong with the answers on a screen, in words, and where; null if nothing is. */
export function problemWith({ asks, screen, read, texts, bounds = [] }) {
  try {
    const answers = read();
    for (const { question } of asks) valueOf(question, answers);
    return null;
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error;
    const { question } = asks.find((each) => each.question.name === error.question) ?? asks[0];
    const day = screen.kind === "date" && texts[`${error.problem}-day`];
    const [minimum, maximum] = bounds;
    const text = fill(day || texts[error.problem], { minimum, maximum, least: screen.least ?? 1, most: screen.most });
    return { text: asks.length > 1 && error.problem === "missing" ? `${question.label[language]}: ${text}` : text, name: question.name };
  }
}

/** Say what is wrong, at the question and in a summary on top; whether anything is. */
export function complain(part) {
  const [problem, { section, asks, texts }] = [problemWith(part), part];
  const line = element(`q-${asks[0].question.name}-error`);
  line.textContent = problem && texts.error + problem.text;
  line.hidden = !problem;
  const text = section.querySelector(".number > [aria-required]");
  (text ?? section.querySelector("fieldset"))?.setAttribute("aria-invalid", String(Boolean(problem)));
  const place = (problem && element(`q-${problem.name}-line`)) ?? section;
  if (problem) summarise(problem.text, text ?? place.querySelector("[tabindex='0'], select, [type=checkbox]"));
  return Boolean(problem);
}

function summarise(problem, control) {
  const [summary, link] = [element("summary"), element("summary").querySelector("a")];
  link.textContent = problem;
  link.href = `#${control.id}`;
  link.onclick = (event) => {
    event.preventDefault(); // the address stays as it is
    control.focus();
  };
  summary.hidden = false;
  summary.focus();
}

export function row(term, definition) {
  const group = document.createElement("div");
  group.append(made("dt", term), definition);
  return group;
}

/** What was answered on a screen, in words: each with what it answers. */
export function told({ screen, asks, read, section, texts }) {
  const answers = read();
  const word = ({ question, words }) => {
    const answer = answers[question.name];
    if (typeof answer !== "number") return words[question.values.indexOf(answer)];
    return `${section.querySelector("[type=text]").value} ${question.unit ?? ""}`;
  };
  if (screen.kind !== "multiple") return asks.map((each) => [headingOf(each, null), word(each)]);
  const ticked = [...section.querySelectorAll(":checked")].map((each) => each.parentElement?.textContent);
  return [[screen.label?.[language] ?? "", ticked.join(texts.comma) || "\u2013"]];
}

/** What a question asks, behind what its screen asks. */
export function headingOf({ question }, screen) {
  return (screen?.label ? `${screen.label[language]} ` : "") + question.label[language];
}

/** The odds of a screen, led by its number. */
export function oddsOf({ section }) {
  return `${section.querySelector(".count")?.textContent}: ${section.querySelector(".odds")?.textContent}`;
}
