/** The forms of the survey itself and of its study: title, languages, target, study card, consent, dates, quotas. */

import { at, isTable, labelled, picker, wrongAt } from "./controls.mjs";
import { formOf } from "./form.mjs";
import { KINDS, partsOf } from "./kinds.mjs";
import { made } from "./parts.mjs";
import { questionsOf } from "./questions.mjs";
import { shareRows } from "./rows.mjs";
import { STUDY, SURVEY } from "./settings.mjs";

/** @typedef {import("./state.d.ts").Edit} Edit */
/** @typedef {import("./state.d.ts").Path} Path */
/** @typedef {import("./state.d.ts").Shown} Shown */
/** @typedef {import("./state.d.ts").Table} Table */
/** @typedef {import("./state.d.ts").Value} Value */

/** The form of the survey, with what models are to predict. @param {Shown} shown @returns {Node[]} */
export function surveyForm(shown) {
  const { document, figures } = shown.state;
  const path = ["mining", "target"];
  const known = [
    ...questionsOf(document)
      .filter((each) => !KINDS[String(each.kind)]?.many)
      .map((each) => String(each.name)),
    ...(figures?.questions ?? []).map(({ name }) => name),
  ];
  const choices = [["", "not said"], ...[...new Set(known)].map((each) => [each, each])];
  const target = picker("target", /** @type {[string, string][]} */ (choices), String(at(document, path) ?? ""), (chosen) => {
    shown.edit(
      [chosen ? { op: "set", path, value: chosen } : { op: "delete", path }],
      `Models predict ${chosen || "what a command says"}.`,
    );
  });
  const mining = made(
    "fieldset",
    { id: "mining" },
    made("legend", {}, "Learning"),
    labelled("Question that models are to predict", target, { wrong: wrongAt(shown, ["mining"]) }),
  );
  return [...formOf(SURVEY, [], shown), mining];
}

/** The form of the study, with quotas of the questions that are sent as they are. @param {Shown} shown @returns {Node[]} */
export function studyForm(shown) {
  const open = questionsOf(shown.state.document).flatMap((each, index) =>
    each.sensitive === false && each.name ? [{ name: String(each.name), index }] : [],
  );
  const quotas = open.map(({ name, index }) =>
    shareRows({ key: name, as: "shares", label: `Responses taken by ${name}` }, ["study", "quotas"], shown, [
      "questions",
      index,
    ]),
  );
  const parts = formOf(STUDY, ["study"], shown);
  const none = made("p", { className: "quiet" }, "There can be quotas of the answers to questions that are sent as they are.");
  return [...parts, made("fieldset", { id: "quotas" }, made("legend", {}, "Quotas"), ...(quotas.length ? quotas : [none]))];
}

/**
 * The edits that give a document other languages: each text gets a place for every one, and loses those that go.
 *
 * @param {Table} document
 * @param {string[]} before
 * @param {string[]} after
 * @returns {Edit[]}
 */
export function inLanguages(document, before, after) {
  const gone = before.filter((each) => !after.includes(each));
  return [
    { op: "set", path: ["languages"], value: after },
    ...pathsOf(document).flatMap((path) => of(path, at(document, path))),
  ];

  /** @param {Path} path @param {Value | undefined} text @returns {Edit[]} */
  function of(path, text) {
    if (typeof text === "string") return after.length > 1 ? [{ op: "set", path, value: { [before[0] ?? "en"]: text } }] : [];
    if (!isTable(text)) return [];
    return gone.filter((each) => Object.hasOwn(text, each)).map((each) => ({ op: "delete", path: [...path, each] }));
  }
}

/** The paths of all texts, and of how values read. @param {Table} document @returns {Path[]} */
function pathsOf(document) {
  const texts = (/** @type {import("./state.d.ts").Part[]} */ parts, /** @type {Path} */ table) =>
    parts.flatMap(({ fields }) => fields.filter((each) => each.as === "text").map((each) => [...table, each.key]));
  const inQuestions = questionsOf(document).flatMap((question, index) => {
    const parts = partsOf(String(question.kind));
    const tables = parts.flatMap(({ fields }) => fields).filter((each) => each.as === "items" && isTable(question[each.key]));
    const items = tables.flatMap(({ key }) =>
      Object.keys(/** @type {Table} */ (question[key])).map((name) => ["questions", index, key, name]),
    );
    return [
      ...texts(parts, ["questions", index]).filter((path) => path[2] !== "unit" || isTable(question.unit)),
      ...items,
      ["questions", index, "words"],
    ];
  });
  return [...texts(SURVEY, []), ...texts(STUDY, ["study"]), ...inQuestions];
}
