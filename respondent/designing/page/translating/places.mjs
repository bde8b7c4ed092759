/** Places of a survey file in words: which text, or which setting, of which question. */

import { STUDY, SURVEY } from "../settings.mjs";

/** @typedef {import("../state.d.ts").Path} Path */

/** Keys of a question, as its form calls them. @type {Record<string, string>} */
const QUESTION = {
  label: "what is asked",
  hint: "the line below it",
  section: "heading of a section",
  none: "“none of these”",
  picture_text: "what the picture shows",
  unit: "unit",
  words: "how answers read",
  values: "values",
  ask_if: "asked only if",
};
/** Parts of a question that a list has a text of. @type {Record<string, string>} */
const LISTED = { options: "option", statements: "statement", items: "thing to rank" };
const TABS = /** @type {Record<string, string>} */ ({ groups: "Privacy", privacy: "Privacy", sampling: "Privacy", mining: "Learning" });

/** What a field of the survey or its study is called. @param {import("../state.d.ts").Part[]} parts @param {string} key */
const labelOf = (parts, key) => parts.flatMap(({ fields }) => fields).find((each) => each.key === key)?.label;

/** A place in words. @param {Path} path - In the file. */
export function placeIn(path) {
  const [first = "", second, third, fourth] = path.map(String);
  if (first === "questions" && second !== undefined) {
    const question = `Question ${Number(second) + 1}`;
    if (third === undefined) return question;
    if (fourth !== undefined && third === "words") return `${question}: how “${fourth}” reads`;
    if (fourth !== undefined && LISTED[third]) return `${question}: ${LISTED[third]} “${fourth}”`;
    return `${question}: ${QUESTION[third] ?? LISTED[third] ?? third.replaceAll("_", " ")}`;
  }
  if (first === "study") return second === undefined ? "Study" : `Study: ${labelOf(STUDY, second) ?? second.replaceAll("_", " ")}`;
  if (first === "groups" && second !== undefined) return `Privacy: group ${second}`;
  return TABS[first] ?? labelOf(SURVEY, first) ?? (first || "The survey");
}
