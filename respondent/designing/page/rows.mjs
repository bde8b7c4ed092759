/** Lists in a form: values, options, statements, shares; each a row with buttons that move and remove it. */

import { at, freshName, idOf, isTable, labelled, numberIn, textEdit, textIn, typed, wrongAt } from "./controls.mjs";
import { KINDS } from "./kinds.mjs";
import { button, element, made } from "./parts.mjs";

/** @typedef {import("./state.d.ts").Edit} Edit */
/** @typedef {import("./state.d.ts").Field} Field */
/** @typedef {import("./state.d.ts").Path} Path */
/** @typedef {import("./state.d.ts").Shown} Shown */
/** @typedef {import("./state.d.ts").Table} Table */
/** @typedef {import("./state.d.ts").Value} Value */

/**
 * A list of rows.
 *
 * @param {Field} field
 * @param {Path} path - Of the list.
 * @param {Shown} shown
 * @param {Node[][]} rows - The controls of each.
 * @param {{move?: (from: number, to: number) => Edit[], remove?: (at: number) => Edit[], add?: () => Edit[]}} can
 */
function listOf(field, path, shown, rows, { move, remove, add }) {
  const id = idOf(path);
  const wrong = wrongAt(shown, path);
  /** @param {number} row @param {number} to @param {string} words */
  const mover = (row, to, words) =>
    move &&
    button(
      `${id}.${row}.${words}`,
      words === "up" ? "↑" : "↓",
      () => {
        if (to < 0 || to >= rows.length) return;
        shown.edit(move(row, to), `${field.label}: row ${row + 1} is now row ${to + 1}.`);
        element(`${id}.${to}.${words}`).focus();
      },
      {
        "aria-label": `Move row ${row + 1} of ${field.label} ${words}`,
        "aria-disabled": to < 0 || to >= rows.length ? "true" : null,
        className: "small",
      },
    );
  const items = rows.map((controls, row) =>
    made(
      "li",
      { id: `${id}.row${row}`, className: "line" },
      made("div", { className: "languages" }, ...controls),
      (move || remove) &&
        made(
          "div",
          { className: "row" },
          mover(row, row - 1, "up"),
          mover(row, row + 1, "down"),
          remove &&
            button(
              `${id}.${row}.remove`,
              "×",
              () => {
                shown.edit(remove(row), `${field.label}: row ${row + 1} removed.`);
                element(`${id}.add`).focus();
              },
              { "aria-label": `Remove row ${row + 1} of ${field.label}`, className: "small" },
            ),
        ),
    ),
  );
  return made(
    "fieldset",
    { id, className: "list" },
    made("legend", {}, field.label),
    field.help && made("p", { className: "quiet" }, field.help),
    wrong.length > 0 && made("p", { className: "wrong", id: `${id}.wrong` }, wrong.join(" ")),
    made("ol", {}, ...items),
    add &&
      button(`${id}.add`, `Add to ${field.label.toLowerCase()}`, () =>
        shown.edit(add(), `${field.label}: row ${rows.length + 1} added.`),
      ),
  );
}

/** One control of a row. @param {string} label @param {Path} path @param {string} value @param {(words: string) => void} onwords @param {object} [more] */
function cell(label, path, value, onwords, more = {}) {
  const control = made("input", {
    id: idOf(path),
    value,
    autocomplete: "off",
    onchange: (/** @type {Event} */ event) => onwords(typed(event)),
    ...more,
  });
  return labelled(label, control);
}

/** The values of a question in the order of the file, and how they read. @param {Field} field @param {Path} table @param {Shown} shown */
export function valueRows(field, table, shown) {
  const path = [...table, "values"];
  const question = /** @type {Table} */ (at(shown.state.document, table));
  const fixed = KINDS[String(question.kind)]?.values;
  const values = fixed ?? (Array.isArray(question.values) ? question.values.map(String) : []);
  const rows = values.map((value, row) => [
    ...(fixed
      ? []
      : [
          cell(
            `Value ${row + 1}`,
            [...path, row],
            value,
            (to) => to && shown.edit(renamed(table, question, values, row, to), `Value ${row + 1}: ${to}.`),
          ),
        ]),
    ...shown.languages.map((language) => {
      const label = `${fixed ? value : `Value ${row + 1}`} reads${shown.languages.length > 1 ? ` (${language})` : ""}`;
      return cell(
        label,
        [...table, "words", language, row],
        String(at(question, ["words", language, value]) ?? ""),
        (words) => {
          shown.edit(reading(table, question, values, language, value, words), `${label}: ${words || value}.`);
        },
        { lang: language, dir: "auto", placeholder: value },
      );
    }),
  ]);
  return listOf(
    field,
    path,
    shown,
    rows,
    fixed
      ? {}
      : {
          move: (from, to) => [{ op: "move", path: [...path, from], to }],
          remove: (row) => [
            { op: "delete", path: [...path, row] },
            ...keyed(table, question, (each) => each.filter(([value]) => value !== values[row])),
          ],
          add: () => {
            const fresh = freshName("value", values);
            /** @type {Edit} */
            const insert = question.values
              ? { op: "insert", path: [...path, values.length], value: fresh }
              : { op: "set", path, value: [fresh] };
            return [insert, ...wordsWith(table, question, fresh)];
          },
        },
  );
}

/** Tables by value, changed alike. @param {Path} table @param {Table} question @param {(entries: [string, Value][]) => [string, Value][]} change @returns {Edit[]} */
function keyed(table, question, change) {
  const words = isTable(question.words) ? Object.keys(question.words).map((language) => ["words", language]) : [];
  return [...words, ["prior"], ["replacement"], ["pictures"]].flatMap((path) => {
    const there = at(question, path);
    if (!isTable(there)) return [];
    return [
      /** @type {Edit} */ ({ op: "set", path: [...table, ...path], value: Object.fromEntries(change(Object.entries(there))) }),
    ];
  });
}

/** @param {Path} table @param {Table} question @param {string[]} values @param {number} row @param {string} to @returns {Edit[]} */
function renamed(table, question, values, row, to) {
  const change = (/** @type {[string, Value][]} */ each) =>
    each.map(([value, rest]) => /** @type {[string, Value]} */ ([value === values[row] ? to : value, rest]));
  return [{ op: "set", path: [...table, "values", row], value: to }, ...keyed(table, question, change)];
}

/** Words for a new value, in each language that has them. @param {Path} table @param {Table} question @param {string} value @returns {Edit[]} */
function wordsWith(table, question, value) {
  const languages = isTable(question.words) ? Object.keys(question.words) : [];
  return languages.map((language) => ({ op: "set", path: [...table, "words", language, value], value }));
}

/** How a value reads: a language names every value, or none. @param {Path} table @param {Table} question @param {string[]} values @param {string} language @param {string} value @param {string} words @returns {Edit[]} */
function reading(table, question, values, language, value, words) {
  const path = [...table, "words", language];
  const there = at(question, ["words", language]);
  if (isTable(there)) return [{ op: "set", path: [...path, value], value: words || value }];
  return words
    ? [{ op: "set", path, value: { ...Object.fromEntries(values.map((each) => [each, each])), [value]: words } }]
    : [];
}

/** Options, statements or things to rank: names and texts, or texts alone. @param {Field} field @param {Path} table @param {Shown} shown */
export function itemRows(field, table, shown) {
  const path = [...table, field.key];
  const given = at(shown.state.document, path);
  return Array.isArray(given)
    ? textRows(field, path, given, shown)
    : tableRows(field, path, isTable(given) ? given : {}, shown);
}

/** @param {Field} field @param {Path} path @param {Value[]} texts @param {Shown} shown */
function textRows(field, path, texts, shown) {
  const rows = texts.map((text, row) => [
    cell(`Text ${row + 1}`, [...path, row], String(text), (words) =>
      shown.edit([{ op: "set", path: [...path, row], value: words }], `Text ${row + 1}: changed.`),
    ),
  ]);
  return listOf(field, path, shown, rows, {
    move: (from, to) => [{ op: "move", path: [...path, from], to }],
    remove: (row) => [{ op: "delete", path: [...path, row] }],
    add: () => [{ op: "insert", path: [...path, texts.length], value: `Text ${texts.length + 1}` }],
  });
}

/** @param {Field} field @param {Path} path @param {Table} items @param {Shown} shown */
function tableRows(field, path, items, shown) {
  const entries = Object.entries(items);
  /** @param {[string, Value][]} now @returns {Edit[]} */
  const all = (now) => [
    { op: "delete", path }, // a table that stands there would keep its order
    { op: "set", path, value: Object.fromEntries(now) },
  ];
  const rows = entries.map(([name, text], row) => [
    cell(
      `Name ${row + 1}`,
      [...path, row, "name"],
      name,
      (to) =>
        to && shown.edit(all(entries.map(([each, said]) => [each === name ? to : each, said])), `Name ${row + 1}: ${to}.`),
      { spellcheck: false },
    ),
    ...shown.languages.map((language) => {
      const label = `Text ${row + 1}${shown.languages.length > 1 ? ` (${language})` : ""}`;
      return cell(
        label,
        [...path, row, language],
        textIn(text, language, shown.languages),
        (words) => {
          shown.edit([textEdit([...path, name], text, language, shown.languages, words)], `${label}: changed.`);
        },
        { lang: language, dir: "auto" },
      );
    }),
  ]);
  return listOf(field, path, shown, rows, {
    move: (from, to) => all(entries.toSpliced(from, 1).toSpliced(to, 0, .../** @type {[string, Value][]} */ ([entries[from]]))),
    remove: (row) => [{ op: "delete", path: [...path, entries[row]?.[0] ?? ""] }],
    add: () => {
      const fresh = freshName(
        "item",
        entries.map(([name]) => name),
      );
      const text = `Text ${entries.length + 1}`;
      return [
        {
          op: "set",
          path: [...path, fresh],
          value: shown.languages.length > 1 ? Object.fromEntries(shown.languages.map((each) => [each, text])) : text,
        },
      ];
    },
  });
}

/** The answers that a table by value may name: as the server knows them, else as the file has them. @param {Path} table @param {Shown} shown @param {Table} standing */
function answersOf(table, shown, standing) {
  const question = /** @type {Table} */ (at(shown.state.document, table));
  const kind = KINDS[String(question.kind)];
  if (isTable(question.options)) return [...new Set([...Object.keys(question.options), ...Object.keys(standing)])];
  const listed = kind?.values ?? (Array.isArray(question.values) ? question.values.map(String) : null);
  const found =
    shown.state.figures?.questions.find((each) => each.name === question.name)?.values.map(({ value }) => value) ?? [];
  return [...new Set([...(listed ?? found), ...Object.keys(standing)])];
}

/** Numbers by answer. @param {Field} field @param {Path} table @param {Shown} shown @param {Path} [question] - Whose answers they are, where that is another table. */
export function shareRows(field, table, shown, question = table) {
  return keyedRows(field, table, shown, question, numberIn, { inputMode: "decimal", spellcheck: false });
}

/** Files by answer. @param {Field} field @param {Path} table @param {Shown} shown */
export function filesRows(field, table, shown) {
  return keyedRows(field, table, shown, table, (words) => words, { spellcheck: false });
}

/** @param {Field} field @param {Path} table @param {Shown} shown @param {Path} question @param {(words: string) => Value} read @param {object} more */
function keyedRows(field, table, shown, question, read, more) {
  const path = [...table, field.key];
  const there = at(shown.state.document, path);
  const standing = isTable(there) ? there : {};
  const rows = answersOf(question, shown, standing).map((answer) => [
    cell(
      `${field.key} of ${answer}`,
      [...path, answer],
      String(standing[answer] ?? ""),
      (words) => {
        shown.edit(
          [words ? { op: "set", path: [...path, answer], value: read(words) } : { op: "delete", path: [...path, answer] }],
          `${field.label}, ${answer}: ${words || "nothing"}.`,
        );
      },
      more,
    ),
  ]);
  return listOf(field, path, shown, rows, {});
}
