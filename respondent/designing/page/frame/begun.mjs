/** What became of a file that a survey begins with: what was taken and left out, and which answers are to be disguised. */

import { isTable } from "../controls.mjs";
import { made } from "../parts.mjs";
import { questionsOf, titleOf } from "../questions.mjs";

/** @typedef {import("../state.d.ts").Edit} Edit */
/** @typedef {import("../state.d.ts").Table} Table */
/** @typedef {{tally: string, left_out: string[], notes: string[]}} Report */

const PRESET = "balanced"; // the preset of what is ticked
const SHOWN = 8; // lines of a list that is not folded

/**
 * What the page says once a survey has begun with a file.
 *
 * @param {Table} document - The survey that it became.
 * @param {Report} report
 * @returns {{children: HTMLElement[], edits: (() => Edit[]) | null}} With what disguises the questions that are ticked, if any is not disguised.
 */
export function begunWith(document, { tally, left_out: leftOut, notes }) {
  const languages = Array.isArray(document.languages) ? document.languages.map(String) : ["en"];
  const questions = questionsOf(document);
  const plain = questions.flatMap((each, index) => (each.sensitive === false ? [index] : []));
  const boxes = plain.map((index) => made("input", { type: "checkbox", id: `begun.${index}`, value: String(index) }));
  const ticks = plain.map((index, place) =>
    made("li", {}, boxes[place] ?? "", " ", made("label", { htmlFor: `begun.${index}`, dir: "auto" }, titleOf(questions[index] ?? {}, languages))),
  );
  const children = [
    tally ? made("p", { id: "begun.tally" }, `Questions: ${tally}.`) : null,
    listOf("begun.left", "Left out", leftOut),
    listOf("begun.notes", "Changed or made up: look at these", notes),
    made("p", { id: "begun.disguise" }, disguise(plain.length, questions.length)),
    plain.length
      ? made("fieldset", { id: "begun.plain" }, made("legend", {}, "Which answers are to be disguised?"), made("ul", { className: "ticks" }, ...ticks))
      : null,
  ].filter((each) => each !== null);
  const edits = () => disguised(document, boxes.filter(({ checked }) => checked).map(({ value }) => Number(value)));
  return { children, edits: plain.length ? edits : null };
}

/** The edits that disguise questions: by one limit for the whole response, unless groups of the file have a strength each. @param {Table} document @param {number[]} ticked @returns {Edit[]} */
function disguised(document, ticked) {
  if (isTable(document.groups)) return ticked.map((index) => ({ op: "preset", path: ["questions", index], value: PRESET }));
  const opened = ticked.map((index) => /** @type {Edit} */ ({ op: "delete", path: ["questions", index, "sensitive"] }));
  return ticked.length && !isTable(document.privacy) ? [...opened, { op: "preset", path: ["privacy"], value: PRESET }] : opened;
}

/** Whether anything is disguised, and what ticking does. @param {number} plain @param {number} all */
function disguise(plain, all) {
  const more = "Tick what nobody should learn for sure, such as health, money or breaking rules. Privacy begins with the preset “Balanced”, which you can change, and says what all answers of a person tell together.";
  if (!plain) return "Every answer is disguised. Privacy says what all answers of a person tell together.";
  return plain === all
    ? `No answer is disguised yet: each is sent as it is given. ${more}`
    : `${plain} of ${all} questions are not disguised: their answers are sent as they are given. ${more}`;
}

/** Lines, folded if they are many. @param {string} id @param {string} title @param {string[]} lines */
function listOf(id, title, lines) {
  if (!lines.length) return null;
  const list = made("ul", { id }, ...lines.map((each) => made("li", {}, each)));
  return made("details", { open: lines.length <= SHOWN }, made("summary", {}, `${title} (${lines.length})`), list);
}
