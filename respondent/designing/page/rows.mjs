/** Lists in a form: values, options, statements, shares; each a row with buttons that move and remove it. */

import { at, freshName, idOf, isTable, labelled, textEdit, textIn, typed, wrongAt } from "./controls.mjs";
import { goLater } from "./frame/panes.mjs";
import { nameLike, pastedValues } from "./frame/pasted.mjs";
import { begun, KINDS } from "./kinds.mjs";
import { button, element, made } from "./parts.mjs";
import { numberIn } from "./reading/typed.mjs";

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
      button(`${id}.add`, `Add to ${field.label.toLowerCase()}`, () => {
        goLater(`${id}.row${rows.length}`);
        shown.edit(add(), `${field.label}: row ${rows.length + 1} added.`);
      }),
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

/**
 * What happens to several values that are pasted at once; one alone is pasted as usual.
 *
 * @param {Field} field
 * @param {Path} path - Of the list.
 * @param {Shown} shown
 * @param {boolean} commas - Whether commas part values, too.
 * @param {(list: string[]) => {edits: Edit[], last: number}} put - And the row of the last.
 */
const pasting = (field, path, shown, commas, put) => (/** @type {ClipboardEvent} */ event) => {
  const list = pastedValues(event.clipboardData?.getData("text/plain") ?? "", commas);
  if (!list.length) return;
  event.preventDefault();
  const { edits, last } = put(list);
  goLater(`${idOf(path)}.row${last}`);
  shown.edit(edits, `${field.label}: ${list.length} pasted. Undo brings back what was there.`);
};

/**
 * What happens to several texts that are pasted in one language: they fill its boxes from there down.
 *
 * @param {Field} field
 * @param {Path} path - Of the list.
 * @param {Shown} shown
 * @param {number} row - Where they begin.
 * @param {number} count - Of the rows there are.
 * @param {(texts: string[]) => Edit[]} write
 */
const filling = (field, path, shown, row, count, write) =>
  pasting(field, path, shown, false, (list) => {
    const texts = list.slice(0, count - row);
    return { edits: write(texts), last: row + texts.length - 1 };
  });

/** Rows with those that are pasted: in place of one, or of all that a new question begins with. @template T @param {T[]} rows @param {number} row @param {T[]} pasted @param {boolean} isNew */
const withPasted = (rows, row, pasted, isNew) => (isNew ? pasted : rows.toSpliced(row, 1, ...pasted));

/** Whether a list is what a new question begins with. @param {Table} question @param {string} key @param {Value} list @param {string[]} languages */
const isBegun = (question, key, list, languages) => JSON.stringify(begun(String(question.kind), languages)[key]) === JSON.stringify(list);

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
            { onpaste: pasting(field, path, shown, true, (list) => pastedIn(table, question, values, row, list)) },
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
        {
          lang: language,
          dir: "auto",
          placeholder: value,
          onpaste: filling(field, path, shown, row, values.length, (texts) => [
            {
              op: "set",
              path: [...table, "words", language],
              value: Object.fromEntries(values.map((each, place) => [each, texts[place - row] ?? at(question, ["words", language, each]) ?? each])),
            },
          ]),
        },
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

/** Values that are pasted at a row. What was expected of the values before is not known of the new ones, and goes. @param {Path} table @param {Table} question @param {string[]} values @param {number} row @param {string[]} list */
function pastedIn(table, question, values, row, list) {
  const isNew = isBegun(question, "values", values, []);
  const others = isNew ? [] : values.toSpliced(row, 1);
  const now = withPasted(values, row, list.filter((each) => !others.includes(each)), isNew);
  const words = isTable(question.words) ? Object.entries(question.words) : [];
  /** @type {Edit[]} */
  const edits = [
    { op: "set", path: [...table, "values"], value: now },
    ...["prior", "replacement"].map((key) => /** @type {Edit} */ ({ op: "delete", path: [...table, key] })),
    ...words.map(([language, said]) => {
      const read = now.map((each) => [each, (isTable(said) ? said[each] : null) ?? each]);
      return /** @type {Edit} */ ({ op: "set", path: [...table, "words", language], value: Object.fromEntries(read) });
    }),
  ];
  if (isTable(question.pictures)) {
    const kept = Object.entries(question.pictures).filter(([each]) => now.includes(each));
    edits.push({ op: "set", path: [...table, "pictures"], value: Object.fromEntries(kept) });
  }
  return { edits, last: now.indexOf(list.at(-1) ?? "") };
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
  /** @param {number} row @param {string[]} list */
  const put = (row, list) => ({
    edits: /** @type {Edit[]} */ ([{ op: "set", path, value: withPasted(texts, row, list, false) }]),
    last: row + list.length - 1,
  });
  const rows = texts.map((text, row) => [
    cell(
      `Text ${row + 1}`,
      [...path, row],
      String(text),
      (words) => shown.edit([{ op: "set", path: [...path, row], value: words }], `Text ${row + 1}: changed.`),
      { onpaste: pasting(field, path, shown, false, (list) => put(row, list)) },
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
  /** @param {number} row @param {string[]} list */
  const put = (row, list) => {
    const isNew = isBegun(/** @type {Table} */ (at(shown.state.document, path.slice(0, -1))), field.key, items, shown.languages);
    const taken = isNew ? [] : entries.toSpliced(row, 1).map(([name]) => name);
    const pasted = list.map((text) => {
      const name = nameLike(text, taken);
      taken.push(name);
      const value = shown.languages.length > 1 ? Object.fromEntries(shown.languages.map((each) => [each, text])) : text;
      return /** @type {[string, Value]} */ ([name, value]);
    });
    return { edits: all(withPasted(entries, row, pasted, isNew)), last: (isNew ? 0 : row) + list.length - 1 };
  };
  const onpaste = (/** @type {number} */ row) => pasting(field, path, shown, false, (list) => put(row, list));
  const rows = entries.map(([name, text], row) => [
    cell(
      `Name ${row + 1}`,
      [...path, row, "name"],
      name,
      (to) =>
        to && shown.edit(all(entries.map(([each, said]) => [each === name ? to : each, said])), `Name ${row + 1}: ${to}.`),
      { spellcheck: false, onpaste: onpaste(row) },
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
        {
          lang: language,
          dir: "auto",
          onpaste:
            language === shown.languages[0]
              ? onpaste(row)
              : filling(field, path, shown, row, entries.length, (texts) =>
                  texts.map((each, place) => {
                    const [key = "", there = ""] = entries[row + place] ?? [];
                    return textEdit([...path, key], there, language, shown.languages, each);
                  }),
                ),
        },
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
