/** The list of questions: chosen, added, removed, and ordered by buttons, by Alt with an arrow, or by dragging. */

import { KINDS } from "./kinds.mjs";
import { button, element, made } from "./parts.mjs";
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

/**
 * The rows of the list.
 *
 * @param {Shown} shown
 * @param {number} chosen
 * @param {(index: number) => void} choose
 * @returns {Node[]}
 */
export function listOfQuestions(shown, chosen, choose) {
  const { document, problems, lints } = shown.state;
  const questions = questionsOf(document);
  /** @param {number} from @param {number} to @param {string} focus */
  const move = (from, to, focus) => {
    if (to < 0 || to >= questions.length || to === from) return;
    shown.edit(
      [{ op: "move", path: ["questions", from], to }],
      `Question ${from + 1} is now ${to + 1} of ${questions.length}.`,
    );
    choose(to);
    element(`q.${to}${focus}`).focus();
  };
  const faultsOf = countOf(problems);
  const remarksOf = countOf(lints.filter((each) => each.severity !== "note"));
  return questions.map((question, index) => {
    const title = titleOf(question, shown.languages);
    const [faults, remarks] = [faultsOf.get(index), remarksOf.get(index)];
    const about = [
      KINDS[String(question.kind)]?.title ?? String(question.kind ?? "no kind"),
      faults && `${faults} to mend`,
      remarks && `${remarks} to look at`,
    ]
      .filter(Boolean)
      .join(", ");
    const arrow = (/** @type {"up" | "down"} */ way, /** @type {number} */ to) =>
      button(`q.${index}.${way}`, way === "up" ? "↑" : "↓", () => move(index, to, `.${way}`), {
        className: "small",
        "aria-label": `Move question ${index + 1} ${way}`,
        "aria-disabled": to < 0 || to >= questions.length ? "true" : null,
      });
    return made(
      "li",
      {
        id: `q.${index}.row`,
        draggable: true,
        className: index === chosen ? "chosen" : "",
        ondragstart: (/** @type {DragEvent} */ event) => event.dataTransfer?.setData("text/plain", String(index)),
        ondragover: (/** @type {DragEvent} */ event) => event.preventDefault(),
        ondrop: (/** @type {DragEvent} */ event) => {
          event.preventDefault();
          move(Number(event.dataTransfer?.getData("text/plain")), index, "");
        },
      },
      made(
        "button",
        {
          id: `q.${index}`,
          type: "button",
          onclick: () => choose(index),
          className: "question",
          "aria-current": index === chosen ? "true" : null,
          "aria-keyshortcuts": "Alt+ArrowUp Alt+ArrowDown",
          onkeydown: (/** @type {KeyboardEvent} */ event) => {
            const way = event.altKey ? ["ArrowUp", "ArrowDown"].indexOf(event.key) : -1;
            if (way < 0) return;
            event.preventDefault();
            move(index, index + (way ? 1 : -1), "");
          },
        },
        made("span", { dir: "auto" }, `${index + 1}. ${title}`),
        made("span", { className: "quiet" }, about),
      ),
      made(
        "div",
        { className: "row" },
        arrow("up", index - 1),
        arrow("down", index + 1),
        button(
          `q.${index}.remove`,
          "×",
          () => {
            const path = /** @type {["questions", number]} */ (["questions", index]);
            shown.edit(
              [{ op: "delete", path }, ...unused(document, String(question.group ?? ""), path)],
              `Question ${index + 1}, ${title}, is deleted. Undo brings it back.`,
            );
            choose(Math.max(0, Math.min(index, questions.length - 2)));
            element(questions.length > 1 ? `q.${Math.min(index, questions.length - 2)}` : "add").focus();
          },
          { className: "small", "aria-label": `Delete question ${index + 1}` },
        ),
      ),
    );
  });
}

/** The edits that add a question of a kind, and its place. @param {string} kind @param {Shown} shown @returns {{edits: Edit[], index: number}} */
export function added(kind, shown) {
  const { document } = shown.state;
  const questions = questionsOf(document);
  const name = freshName(
    "question",
    questions.map((each) => String(each.name)),
  );
  const words = `Question ${questions.length + 1}`;
  const label = shown.languages.length > 1 ? Object.fromEntries(shown.languages.map((each) => [each, words])) : words;
  const grouped = !isTable(document.privacy);
  /** @type {Table} */
  const value = { name, label, kind, ...KINDS[kind]?.begin, ...(grouped && { group: name }) };
  /** @type {Edit} */
  const insert = { op: "insert", path: ["questions", questions.length], value };
  return {
    edits: grouped ? [insert, { op: "set", path: ["groups", name], value: newGroup() }] : [insert],
    index: questions.length,
  };
}

/** The edits that give a question another kind: what only the old one has goes, what the new one needs comes. @param {Table} question @param {Path} path @param {string} to @returns {Edit[]} */
export function turned(question, path, to) {
  const keys = (/** @type {string} */ kind) =>
    (KINDS[kind]?.answers ?? []).flatMap(({ key }) => (key === "values" ? [key, "words"] : [key]));
  const hasValues = (/** @type {string} */ kind) => !KINDS[kind]?.values && keys(kind).includes("values");
  const stays = hasValues(to) === hasValues(String(question.kind)) ? keys(to) : [];
  const drops = [...keys(String(question.kind)), "prior", "replacement"].filter(
    (key) => key in question && !stays.includes(key),
  );
  const begins = Object.entries(KINDS[to]?.begin ?? {}).filter(([key]) => !(key in question) || drops.includes(key));
  return [
    { op: "set", path: [...path, "kind"], value: to },
    ...drops.map((key) => /** @type {Edit} */ ({ op: "delete", path: [...path, key] })),
    ...begins.map(([key, value]) => /** @type {Edit} */ ({ op: "set", path: [...path, key], value })),
  ];
}
