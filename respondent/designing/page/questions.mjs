/** The list of questions: chosen, added, deleted, and ordered by the menu of each, by Alt with an arrow, or by dragging. */

import { begun, KINDS } from "./kinds.mjs";
import { button, element, made } from "./parts.mjs";
import { markOf } from "./privacy/presets.mjs";
import { freshName, isTable, newGroup, textIn, unused } from "./controls.mjs";

/** @typedef {import("./state.d.ts").Edit} Edit */
/** @typedef {import("./state.d.ts").Path} Path */
/** @typedef {import("./state.d.ts").Shown} Shown */
/** @typedef {import("./state.d.ts").Table} Table */

/** The questions of a document. @param {Table} document @returns {Table[]} */
export const questionsOf = (document) =>
  Array.isArray(document.questions) ? document.questions.map((each) => (isTable(each) ? each : {})) : [];

/** What a question is called in the list. @param {Table} question @param {string[]} languages */
export const titleOf = (question, languages) =>
  textIn(question.label, languages[0] ?? "en", languages) || String(question.name ?? "a question");

/** How much is said of each question, by its place. @param {{path: Path}[]} said */
function countOf(said) {
  /** @type {Map<string | number | undefined, number>} */
  const found = new Map();
  for (const { path } of said) if (path[0] === "questions") found.set(path[1], (found.get(path[1]) ?? 0) + 1);
  return found;
}

/** What the list does with the questions. @typedef {object} Hands
 * @property {number} chosen - The place that Tab leads to.
 * @property {boolean} isOpen - Whether its form is shown.
 * @property {(index: number) => void} choose - Show a question's form.
 * @property {(index: number) => void} follow - Let another place be the chosen one, as its question goes there.
 * @property {(index: number) => void} open - Open the menu of a question.
 */

/** Move a question to another place, with the focus on its line. @param {Shown} shown @param {number} from @param {number} to @param {Hands} hands */
export function moveQuestion(shown, from, to, { follow }) {
  const { length } = questionsOf(shown.state.document);
  if (to < 0 || to >= length || to === from) return;
  shown.edit([{ op: "move", path: ["questions", from], to }], `Question ${from + 1} is now ${to + 1} of ${length}.`);
  follow(to);
  element(`q.${to}`).focus();
}

/** The place that a key goes to in a list, if it is a key that does. @param {string} key @param {number} from @param {number} length */
export function stepOf(key, from, length) {
  const to = { ArrowUp: from - 1, ArrowDown: from + 1, Home: 0, End: length - 1 }[key];
  return to === undefined || to < 0 || to >= length ? -1 : to;
}

/** The place of the question that is being dragged. */
let dragged = -1;

/**
 * The lines of the list: a question each, with its kind, a mark where something is to be looked at, and its menu.
 *
 * @param {Shown} shown
 * @param {Hands} hands
 * @returns {Node[]}
 */
export function listOfQuestions(shown, hands) {
  const { document, problems, lints } = shown.state;
  const questions = questionsOf(document);
  const faultsOf = countOf(problems);
  const remarksOf = countOf(lints.filter((each) => each.severity !== "note"));
  return questions.map((question, index) => {
    const title = titleOf(question, shown.languages);
    const isChosen = index === hands.chosen && hands.isOpen;
    const tabIndex = index === hands.chosen ? 0 : -1;
    const said = [[faultsOf.get(index), "to fix"], [remarksOf.get(index), "to look at"]].filter(([count]) => count);
    const marks = said.map(([count, words]) =>
      made("span", { className: "mark", title: `${count} ${words}` }, `${count}`, made("span", { className: "hidden" }, ` ${words}`)),
    );
    return made(
      "li",
      { id: `q.${index}.row`, draggable: true, className: isChosen ? "chosen" : "", ...dragging(shown, index, hands) },
      made(
        "button",
        {
          id: `q.${index}`,
          type: "button",
          title,
          tabIndex,
          onclick: () => hands.choose(index),
          className: "question",
          "aria-current": isChosen ? "true" : null,
          "aria-keyshortcuts": "Alt+ArrowUp Alt+ArrowDown",
          onkeydown: (/** @type {KeyboardEvent} */ event) => {
            const to = stepOf(event.key, index, questions.length);
            if (to < 0) return;
            event.preventDefault();
            if (event.altKey) moveQuestion(shown, index, to, hands);
            else element(`q.${to}`).focus();
          },
        },
        made("span", { className: "words", dir: "auto" }, `${index + 1}. ${question.ask_if ? "\u21b3 " : ""}${title}`),
        ...marks,
        made("span", { className: "quiet" }, KINDS[String(question.kind)]?.short ?? String(question.kind ?? "no kind")),
        markOf(question, shown),
      ),
      button(`q.${index}.more`, "\u22ef", () => hands.open(index), {
        className: "small",
        tabIndex,
        "aria-label": `What to do with question ${index + 1}`,
        "aria-haspopup": "true",
      }),
    );
  });
}

/** Dragging a line: a rule shows where it falls, which is the place of the line under it. @param {Shown} shown @param {number} index @param {Hands} hands */
function dragging(shown, index, hands) {
  const row = () => element(`q.${index}.row`);
  const clear = () => row().classList.remove("above", "below");
  return {
    ondragstart: (/** @type {DragEvent} */ event) => {
      dragged = index;
      event.dataTransfer?.setData("text/plain", titleOf(questionsOf(shown.state.document)[index] ?? {}, shown.languages));
      row().classList.add("dragged");
    },
    ondragover: (/** @type {DragEvent} */ event) => {
      if (dragged < 0) return;
      event.preventDefault();
      if (dragged !== index) row().classList.add(dragged < index ? "below" : "above");
    },
    ondragleave: clear,
    ondragend: () => {
      dragged = -1;
      row().classList.remove("dragged");
    },
    ondrop: (/** @type {DragEvent} */ event) => {
      if (dragged < 0) return;
      event.preventDefault();
      clear();
      const from = dragged;
      dragged = -1;
      moveQuestion(shown, from, index, hands);
    },
  };
}

/** Delete a question, with the focus on the one that takes its place. @param {Shown} shown @param {number} index @param {Hands} hands */
export function removeQuestion(shown, index, { follow }) {
  const { document } = shown.state;
  const questions = questionsOf(document);
  const question = questions[index] ?? {};
  const path = /** @type {["questions", number]} */ (["questions", index]);
  const after = (shown.state.followers[index] ?? []).filter((each) => each !== index);
  const followers = after.map((each) => `${each + 1}, ${titleOf(questions[each] ?? {}, shown.languages)}`).join("; ");
  const left = followers && ` Its answer decided who is asked (numbers as they were): ${followers}. Change or clear their conditions.`;
  shown.edit(
    [{ op: "delete", path }, ...unused(document, String(question.group ?? ""), path)],
    `Question ${index + 1}, ${titleOf(question, shown.languages)}, is deleted. Undo brings it back.${left}`,
  );
  const next = Math.min(index, questions.length - 2);
  follow(Math.max(0, next));
  element(next < 0 ? "add" : `q.${next}`).focus();
}

/** The edits that add a question of a kind. @param {string} kind @param {number} index - Its place. @param {Shown} shown @returns {Edit[]} */
export function added(kind, index, shown) {
  const { document } = shown.state;
  const questions = questionsOf(document);
  const name = freshName(
    "question",
    questions.map((each) => String(each.name)),
  );
  const words = `Question ${index + 1}`;
  const label = shown.languages.length > 1 ? Object.fromEntries(shown.languages.map((each) => [each, words])) : words;
  const isNew = !questions.length && !isTable(document.groups) && !isTable(document.privacy);
  const grouped = !isNew && !isTable(document.privacy);
  /** @type {Table} */
  const value = { name, label, kind, ...begun(kind, shown.languages), ...(grouped && { group: name }) };
  /** @type {Edit} */
  const insert = { op: "insert", path: ["questions", index], value };
  if (isNew) return [insert, { op: "preset", path: ["privacy"], value: "balanced" }];
  return grouped ? [insert, { op: "set", path: ["groups", name], value: newGroup() }] : [insert];
}

/** The edits that give a question another kind: what only the old one has goes, what the new one needs comes. @param {Table} question @param {Path} path @param {string} to @param {Shown} shown @returns {Edit[]} */
export function turned(question, path, to, shown) {
  const keys = (/** @type {string} */ kind) =>
    (KINDS[kind]?.answers ?? []).flatMap(({ key }) => (key === "values" ? [key, "words"] : [key]));
  const hasValues = (/** @type {string} */ kind) => !KINDS[kind]?.values && keys(kind).includes("values");
  const stays = hasValues(to) === hasValues(String(question.kind)) ? keys(to) : [];
  const drops = [...keys(String(question.kind)), "prior", "replacement"].filter(
    (key) => key in question && !stays.includes(key),
  );
  const begins = Object.entries(begun(to, shown.languages)).filter(([key]) => !(key in question) || drops.includes(key));
  return [
    { op: "set", path: [...path, "kind"], value: to },
    ...drops.map((key) => /** @type {Edit} */ ({ op: "delete", path: [...path, key] })),
    ...begins.map(([key, value]) => /** @type {Edit} */ ({ op: "set", path: [...path, key], value })),
  ];
}
