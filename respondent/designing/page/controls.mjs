/** Controls of forms: what stands at a path and what is written there, labels, lists, and help with a condition. */

import { KINDS } from "./kinds.mjs";
import { button, made, reasonOf } from "./parts.mjs";

/** @typedef {import("./state.d.ts").Edit} Edit */
/** @typedef {import("./state.d.ts").Path} Path */
/** @typedef {import("./state.d.ts").Shown} Shown */
/** @typedef {import("./state.d.ts").Table} Table */
/** @typedef {import("./state.d.ts").Value} Value */

/** The id of the control for a path. @param {Path} path */
export const idOf = (path) => ["f", ...path].join(".");

/** @param {Value | undefined} value @returns {value is Table} */
export const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** What stands at a path. @param {Value | undefined} value @param {Path} path @returns {Value | undefined} */
export const at = (value, path) => path.reduce((/** @type {any} */ there, key) => there?.[key], value);

/** A text in one of the languages; without languages of its own it is that of the first. @param {Value | undefined} text @param {string} language @param {string[]} languages */
export function textIn(text, language, languages) {
  if (isTable(text)) return String(text[language] ?? "");
  return text !== undefined && text !== null && language === languages[0] ? String(text) : "";
}

/** The edit that writes a text in one language. @param {Path} path @param {Value | undefined} text @param {string} language @param {string[]} languages @param {string} words @returns {Edit} */
export function textEdit(path, text, language, languages, words) {
  if (isTable(text)) {
    return words ? { op: "set", path: [...path, language], value: words } : { op: "delete", path: [...path, language] };
  }
  if (languages.length === 1) return words ? { op: "set", path, value: words } : { op: "delete", path };
  const before = text === undefined || text === null ? {} : { [languages[0] ?? "en"]: text };
  return { op: "set", path, value: { ...before, [language]: words } };
}

/** What is wrong at a path, and below it, in words. @param {Shown} shown @param {Path} path */
export function wrongAt(shown, path) {
  const there = shown.state.problems.filter((each) => path.every((key, index) => each.path[index] === key));
  return there.map((each) => each.words);
}

/** The settings of a new group. @returns {Table} */
export const newGroup = () => ({ truth: "3/4", channel: "uniform" });

/**
 * The edit that drops a group which was made for a question alone, never changed, and would have no question.
 *
 * @param {Table} document
 * @param {string} group
 * @param {Path} path - Of the question, or of its group.
 * @returns {Edit[]}
 */
export function unused(document, group, path) {
  const tables = Array.isArray(document.questions) ? document.questions : [];
  const others = tables.some((each, index) => index !== path[1] && isTable(each) && each.group === group);
  const isMade = group === at(document, [...path.slice(0, 2), "name"]) || /^question_\d+$/.test(group);
  const isNew = JSON.stringify(at(document, ["groups", group])) === JSON.stringify(newGroup());
  return isMade && isNew && !others ? [{ op: "delete", path: ["groups", group] }] : [];
}

/** A name that is not taken. @param {string} stem @param {string[]} taken */
export function freshName(stem, taken) {
  let number = taken.length + 1;
  while (taken.includes(`${stem}_${number}`)) number += 1;
  return `${stem}_${number}`;
}

/**
 * A label, its control, a line of help and what is wrong.
 *
 * @param {string} label
 * @param {HTMLElement} control
 * @param {{help?: string, wrong?: string[], more?: Node[]}} [around]
 */
export function labelled(label, control, { help = "", wrong = [], more = [] } = {}) {
  const reason = reasonOf(control.id);
  const described = [help && `${control.id}.help`, wrong.length && `${control.id}.wrong`, reason && `${control.id}.refused`]
    .filter(Boolean)
    .join(" ");
  if (described) control.setAttribute("aria-describedby", described);
  if (wrong.length || reason) control.setAttribute("aria-invalid", "true");
  const name = made("label", { htmlFor: control.id }, label);
  const isFlag = control instanceof HTMLInputElement && control.type === "checkbox";
  return made(
    "div",
    { className: isFlag ? "field flag" : "field", id: `${control.id}.field` },
    ...(isFlag ? [control, name] : [name, control]),
    help && made("p", { className: "quiet", id: `${control.id}.help` }, help),
    wrong.length > 0 && made("p", { className: "wrong", id: `${control.id}.wrong` }, wrong.join(" ")),
    ...(reason ? [made("p", { className: "wrong", id: `${control.id}.refused` }, `Not saved: ${reason}`), answers(control.id)] : []),
    ...more,
  );
}

/** What can be done with words that were refused. @param {string} id - Of their control. */
function answers(id) {
  /** @param {string} key @param {string} type - Of the event, which `page.mjs` handles. @param {string} words */
  const answer = (key, type, words) =>
    button(`${id}.${key}`, words, () => document.getElementById(id)?.dispatchEvent(new CustomEvent(type, { bubbles: true })), {
      className: "plain",
    });
  return made("div", { className: "row", id: `${id}.answers` }, answer("again", "resend", "Try again"), answer("drop", "discard", "Take what the file has"));
}

/** What somebody typed, without spaces around it. @param {Event} event */
export const typed = (event) => /** @type {HTMLInputElement} */ (event.target).value.trim();

/**
 * A choice from a list.
 *
 * @param {string} id
 * @param {[string, string][]} choices - What is written, and how it reads.
 * @param {string} standing
 * @param {(chosen: string) => void} onchoice
 */
export function picker(id, choices, standing, onchoice) {
  const known = choices.some(([each]) => each === standing)
    ? choices
    : [...choices, /** @type {[string, string]} */ ([standing, standing])];
  const control = made(
    "select",
    { id, onchange: (/** @type {Event} */ event) => onchoice(typed(event)) },
    ...known.map(([each, words]) => made("option", { value: each }, words)),
  );
  control.value = standing;
  return control;
}

/** The question that is chosen, by the path of the condition. @type {Map<string, [string, string]>} */
const chosen = new Map();

/** What a condition can say of a question: each with how it is written. @param {Table} table @param {Shown} shown @returns {[string, string][]} */
function terms(table, shown) {
  const kind = KINDS[String(table.kind)];
  const name = String(table.name);
  const figures = shown.state.figures?.questions ?? [];
  const found = figures.filter((each) => each.name === name || (kind?.many && each.name.startsWith(`${name}_`)));
  const listed = Array.isArray(table.values) ? table.values.map(String) : (kind?.values ?? []);
  const known = found.length
    ? found.flatMap((each) => each.values.map(({ value }) => [each.name, value]))
    : listed.map((value) => [name, value]);
  return known.map(([question, value]) => [`${question} = ${written(value)}`, `${question === name ? "" : `${question}: `}${value}`]);
}

/**
 * Two lists and a button.
 *
 * @param {Path} path - Of the condition.
 * @param {string} standing - What it says.
 * @param {Shown} shown
 * @returns {Node[]}
 */
export function conditionHelp(path, standing, shown) {
  const questions = /** @type {Table[]} */ (at(shown.state.document, ["questions"]) ?? []).slice(0, Number(path[1]));
  if (!questions.length) return [];
  const id = idOf(path);
  const [name = "", term = ""] = chosen.get(id) ?? [];
  const table = questions.find((each) => each.name === name) ?? questions[0];
  if (!table) return [];
  const choices = terms(table, shown);
  const said = choices.find(([each]) => each === term)?.[0] ?? choices[0]?.[0] ?? "";
  const of = picker(
    `${id}.of`,
    questions.map((each) => [String(each.name), String(each.name)]),
    String(table.name),
    (question) => {
      chosen.set(id, [question, ""]);
      shown.edit([], "");
    },
  );
  const is = picker(`${id}.is`, choices, said, (each) => void chosen.set(id, [String(table.name), each]));
  of.setAttribute("aria-label", "Condition on question");
  is.setAttribute("aria-label", "has the answer");
  const add = button(`${id}.add`, "Add condition", () => {
    const now = /** @type {HTMLSelectElement} */ (document.getElementById(`${id}.is`)).value;
    shown.edit([{ op: "set", path, value: joined(standing, now) }], `Asked only if ${joined(standing, now)}.`);
  });
  return [made("div", { className: "row" }, of, is, add)];
}

/** A value as conditions have it: in quotes if it is not a plain word. @param {string} value */
const written = (value) => (/^(?!'|(?:and|or|not|in|has)$)[^\s"=<>!(),]+$/.test(value) ? value : `"${value.replaceAll('"', '""')}"`);

const QUOTED = String.raw`"(?:[^"]|"")*"|'(?:[^']|'')*'`;
const VALUE = String.raw`(?:${QUOTED}|[^\s"'=<>!(),][^\s"=<>!(),]*)`;

/** A condition with one more term: values of a question that it names already are listed together. @param {string} standing @param {string} term */
export function joined(standing, term) {
  const [name = "", value] = [term.slice(0, term.indexOf(" = ")), term.slice(term.indexOf(" = ") + 3)];
  if (/ or /.test(standing)) return `(${standing}) and ${term}`;
  const named = String.raw`(?<=^| and )${name} (?:= (${VALUE})|in \((${VALUE}(?:, *${VALUE})*)\))(?= and |$)`;
  let listed = false;
  const found = standing.replace(new RegExp(`${named}|${QUOTED}`, "g"), (whole, one, several) => {
    if (listed || !(one ?? several)) return whole;
    listed = true;
    const values = (one ?? several).match(new RegExp(VALUE, "g")) ?? [];
    return `${name} in (${[...new Set([...values, value])].join(", ")})`;
  });
  if (!standing) return term;
  return listed ? found : `${standing} and ${term}`;
}
