/** Screens in the page: what was answered, what is wrong with it, and small parts of screens. */

import { AnswerError, valueOf } from "../disguise/coding.mjs";

// A part is a screen of questions: what the design says of it, what it asks, its element, and `read`, which gives the answers
// by question (a value, a number, or something that is neither) or throws an AnswerError.

export const element = (id) => document.getElementById(id);
export const all = (selector) => document.querySelectorAll(selector);
export const made = (tag, textContent, more) => Object.assign(document.createElement(tag), { textContent }, more);
/** A text with its {places} taken by what they stand for. */
export const fill = (text, parts) => text.replace(/\{(\w+)\}/g, (_, name) => parts[name]);
/** A text beside others: isolated in place of its marks of direction, which could turn these. */
export function isolated(text) {
  const plain = text?.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
  return plain === text ? text : `\u2068${plain}\u2069`;
}

/** Between options that are ticked together. */
export const TOGETHER = " + ";

export const language = document.documentElement.lang;

/** Mark a text with its language where the words around it have another: the first, where it lacks a translation. */
export function mark(target, text) {
  const first = element("survey").dataset.first;
  const own = text?.[language] === text?.[first] ? first : language;
  if (text && own !== (document.body.lang || language)) Object.assign(target, { lang: own, dir: "auto" });
  return target;
}

/** All answers so far, those to screens that do not apply too, and which screens do; what is wrong ends it. */
export function collect(parts) {
  const answers = {};
  const values = new Map(); // what each answer means
  let open = -1; // the first screen that is not answered
  const applies = parts.map(({ screen, asks, read }, at) => {
    const met = (screen.ask_if ?? []).every(([name, wanted]) => wanted.includes(values.get(name)));
    const skipped = Object.fromEntries(asks.map(({ question }) => [question.name, "not_applicable"]));
    if (met && problemsWith(parts[at]).length) open = open < 0 ? at : open;
    else Object.assign(answers, met ? read() : skipped);
    for (const { question } of asks) if (Object.hasOwn(answers, question.name)) values.set(question.name, question.values[valueOf(question, answers)]);
    return met;
  });
  return { answers, applies, open };
}

/** All that is wrong with the answers on a screen: each in words, with its row and what the row is called. */
function problemsWith({ asks, screen, section, read, faults, texts, bounds = [] }) {
  try {
    const answers = read();
    for (const { question } of asks) valueOf(question, answers);
    return [];
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error;
    const [minimum, maximum] = bounds;
    const parts = { minimum, maximum, least: screen.least ?? 1, most: screen.most, all: screen.items?.length };
    const words = (problem) => fill(texts[problem], parts);
    return (faults?.() ?? [[section, "", error.problem]]).map(([row, name, problem]) => ({ row, name, text: words(problem) }));
  }
}

/** Say what is wrong, each at its row and in a summary on top; whether anything is. */
export function complain(part) {
  const { section, texts } = part;
  const line = section.querySelector("p.error");
  line.hidden = true;
  for (const each of section.querySelectorAll("span.error")) each.remove();
  for (const each of section.querySelectorAll("[aria-invalid]")) each.removeAttribute("aria-invalid");
  const links = problemsWith(part).map(({ row, name, text }) => {
    (row.querySelector("[aria-required], fieldset") ?? row).setAttribute("aria-invalid", "true");
    const told = texts.error + text;
    if (row === section) Object.assign(line, { textContent: told, hidden: false });
    else (row.querySelector("legend") ?? row).append(made("span", told, { className: "error" }));
    const control = row.querySelector("[tabindex='0']") ?? row.querySelector("input, button");
    const link = made("a", name ? `${isolated(name)}: ${text}` : text, { href: `#${control.id}` });
    link.onclick = () => (control.focus(), false); // the address stays as it is
    const item = made("li", "");
    item.append(link);
    return item;
  });
  const summary = element("summary");
  summary.querySelector("ul").replaceChildren(...links);
  summary.hidden = !links.length;
  summary.focus();
  return links.length > 0;
}

export function row(term, definition) {
  const group = document.createElement("div");
  group.append(made("dt", term), definition);
  return group;
}

/** What was answered on a screen, in words: each with what it answers. */
export function told(part) {
  const { screen, asks, section, texts } = part;
  const answers = part.read();
  const word = ({ question, words }) => part.typed?.() || words[question.values.indexOf(answers[question.name])]; // as it was read
  if (screen.kind !== "multiple" || screen.items) return asks.map((each) => [headingOf(each, null), word(each)]);
  const ticked = [...section.querySelectorAll(":checked")].map((each) => isolated(each.parentElement?.textContent));
  const none = texts[asks[0].question.values.includes("no_answer") ? "no_answer" : "unticked"];
  return [[screen.label[language], ticked.join(TOGETHER) || none]];
}

/** What a question asks, behind what its screen asks. */
export function headingOf({ question }, screen) {
  return (screen?.label ? `${isolated(screen.label[language])} ` : "") + isolated(question.label[language]);
}

/** The odds of a screen, led by its number. */
export function oddsOf({ section }) {
  return `${section.querySelector(".count")?.textContent}: ${section.querySelector(".odds")?.textContent}`;
}
