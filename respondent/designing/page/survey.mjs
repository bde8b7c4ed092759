/** The forms of the survey itself and of its study: title, languages, target, study card, consent, dates, quotas. */

import { at, labelled, picker, wrongAt } from "./controls.mjs";
import { formOf } from "./form.mjs";
import { KINDS } from "./kinds.mjs";
import { made } from "./parts.mjs";
import { questionsOf } from "./questions.mjs";
import { shareRows } from "./rows.mjs";
import { STUDY, SURVEY } from "./settings.mjs";

/** @typedef {import("./state.d.ts").Shown} Shown */

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
