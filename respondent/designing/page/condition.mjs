/** Help with a condition: a question above and one of its values are chosen, and written behind what stands there. */

import { at, idOf, picker } from "./form.mjs";
import { KINDS } from "./kinds.mjs";
import { button, made } from "./parts.mjs";

/** @typedef {import("./state.d.ts").Path} Path */
/** @typedef {import("./state.d.ts").Shown} Shown */
/** @typedef {import("./state.d.ts").Table} Table */

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
