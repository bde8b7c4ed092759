/** Forms: a labelled control for each field of a table, with what is wrong with it below. */

import { at, conditionHelp, idOf, isTable, labelled, newGroup, picker, textEdit, textIn, typed, unused, wrongAt } from "./controls.mjs";
import { made } from "./parts.mjs";
import { dayIn, listIn, numberIn } from "./reading/typed.mjs";
import { filesRows, itemRows, shareRows, valueRows } from "./rows.mjs";

/** @typedef {import("./state.d.ts").Edit} Edit */
/** @typedef {import("./state.d.ts").Field} Field */
/** @typedef {import("./state.d.ts").Part} Part */
/** @typedef {import("./state.d.ts").Path} Path */
/** @typedef {import("./state.d.ts").Shown} Shown */
/** @typedef {import("./state.d.ts").Table} Table */
/** @typedef {import("./state.d.ts").Value} Value */

/**
 * The form of a table, part by part.
 *
 * @param {Part[]} parts
 * @param {Path} path - Of the table.
 * @param {Shown} shown
 * @returns {Node[]}
 */
export function formOf(parts, path, shown) {
  return parts.map((part) => {
    const id = [idOf(path), "part", part.title].join(".").replaceAll(" ", "_");
    const fields = part.fields.flatMap((field) => fieldOf(field, path, shown));
    if (!part.folded) return made("fieldset", { id }, made("legend", {}, part.title), ...fields);
    return made(
      "details",
      { id },
      made("summary", {}, part.title),
      made("fieldset", {}, made("legend", { className: "hidden" }, part.title), ...fields),
    );
  });
}

/** The controls of one field. @param {Field} field @param {Path} table @param {Shown} shown @returns {Node[]} */
export function fieldOf(field, table, shown) {
  const path = [...table, field.key];
  const value = at(shown.state.document, path);
  switch (field.as) {
    case "text":
      return [textField(field, path, value, shown)];
    case "values":
      return [valueRows(field, table, shown)];
    case "items":
      return [itemRows(field, table, shown)];
    case "shares":
      return [shareRows(field, table, shown)];
    case "files":
      return [filesRows(field, table, shown)];
    case "flag":
      return [flagField(field, path, value, shown)];
    case "one":
      return [oneField(field, path, value, shown)];
    case "group":
      return groupField(field, path, value, shown);
    default:
      return [wordField(field, path, value, shown)];
  }
}

/** Each language side by side. @param {Field} field @param {Path} path @param {Value | undefined} value @param {Shown} shown */
function textField(field, path, value, shown) {
  const languages = field.plain && !isTable(value) ? shown.languages.slice(0, 1) : shown.languages;
  const wrong = wrongAt(shown, path);
  const texts = languages.map((language) => textIn(value, language, languages));
  const lacking = Math.max(0, texts.indexOf(""));
  const controls = languages.map((language, index) => {
    const control = made(field.long ? "textarea" : "input", {
      id: idOf([...path, language]),
      value: texts[index] ?? "",
      lang: language,
      dir: "auto",
      autocomplete: "off",
      ...(field.long && { rows: 4 }),
      onchange: (/** @type {Event} */ event) =>
        shown.edit([textEdit(path, value, language, languages, typed(event))], `${field.label}: changed.`),
    });
    const label = languages.length > 1 ? `${field.label} (${language})` : field.label;
    return labelled(label, control, { help: index ? "" : (field.help ?? ""), wrong: index === lacking ? wrong : [] });
  });
  return made("div", { className: "languages", id: `${idOf(path)}.languages` }, ...controls);
}

/** @param {Field} field @param {Path} path @param {Value | undefined} value @param {Shown} shown */
function wordField(field, path, value, shown) {
  /** @param {string} words @returns {Edit[]} */
  const edits = (words) => {
    if (field.as === "name") return words ? [{ op: "rename", path: path.slice(0, -1), to: words }] : [];
    if (!words) return [{ op: "delete", path }];
    if (field.as === "list") return [{ op: "set", path, value: listIn(words, field.of) }];
    return [{ op: "set", path, value: field.as === "number" ? numberIn(words) : field.as === "day" ? dayIn(words) : words }];
  };
  const standing = Array.isArray(value) ? value.join(", ") : String(value ?? "");
  const control = made("input", {
    id: idOf(path),
    value: standing,
    autocomplete: "off",
    spellcheck: false,
    dir: field.as === "word" ? "auto" : "ltr",
    inputMode: field.as === "number" ? "decimal" : "text",
    onchange: (/** @type {Event} */ event) => shown.edit(edits(typed(event)), `${field.label}: changed.`),
  });
  const isDay = field.as === "day" || field.of === "day";
  const more = field.as === "condition" ? conditionHelp(path, String(value ?? ""), shown) : isDay ? [dayPicker(control, field, standing)] : [];
  return labelled(field.label, control, { help: field.help ?? "", wrong: wrongAt(shown, path), more });
}

/** A calendar that fills a box for a day, or adds a day to a list. @param {HTMLInputElement} control - The box. @param {Field} field @param {string} standing */
function dayPicker({ id }, field, standing) {
  const isList = field.as === "list";
  return made("input", {
    id: `${id}.pick`,
    type: "date",
    className: "day",
    value: isList ? "" : (/^\d{4}-\d\d-\d\d/.exec(standing)?.[0] ?? ""),
    "aria-label": `Pick a day: ${field.label}`,
    onchange: (/** @type {Event} */ event) => {
      const day = typed(event);
      const box = document.getElementById(id);
      if (!(box instanceof HTMLInputElement) || !isWhole(day)) return;
      const days = box.value.split(/[\s,;]+/).filter(Boolean);
      box.value = isList ? [...new Set([...days, day])].toSorted().join(", ") : day;
      box.dispatchEvent(new Event("change", { bubbles: true }));
    },
  });
}

/** Whether a day is typed to its end: a year begins with 0 until then. @param {string} day */
const isWhole = (day) => /^[1-9]\d{3}-\d\d-\d\d$/.test(day);

/** @param {Field} field @param {Path} path @param {Value | undefined} value @param {Shown} shown */
function flagField(field, path, value, shown) {
  const usual = field.usual ?? false;
  const control = made("input", {
    id: idOf(path),
    type: "checkbox",
    checked: value === undefined ? usual : value === true,
    onchange: (/** @type {Event} */ event) => {
      const { checked } = /** @type {HTMLInputElement} */ (event.target);
      shown.edit(
        [checked === usual ? { op: "delete", path } : { op: "set", path, value: checked }],
        `${field.label}: ${checked ? "yes" : "no"}.`,
      );
    },
  });
  return labelled(field.label, control, { help: field.help ?? "", wrong: wrongAt(shown, path) });
}

/** @param {Field} field @param {Path} path @param {Value | undefined} value @param {Shown} shown */
function oneField(field, path, value, shown) {
  const control = picker(idOf(path), field.choices ?? [], String(value ?? ""), (chosen) => {
    shown.edit([chosen ? { op: "set", path, value: chosen } : { op: "delete", path }], `${field.label}: changed.`);
  });
  return labelled(field.label, control, { help: field.help ?? "", wrong: wrongAt(shown, path) });
}

/** The groups there are, or a new one that has the name of the question. @param {Field} field @param {Path} path @param {Value | undefined} value @param {Shown} shown */
function groupField(field, path, value, shown) {
  const { document } = shown.state;
  if (isTable(document.privacy)) return [];
  const groups = isTable(document.groups) ? Object.keys(document.groups) : [];
  const name = String(at(document, [...path.slice(0, -1), "name"]) ?? "group");
  /** @type {[string, string][]} */
  const choices = [
    ["", "none"],
    ...groups.map((each) => /** @type {[string, string]} */ ([each, each])),
    ...(groups.includes(name) ? [] : [/** @type {[string, string]} */ (["+", "a new group"])]),
  ];
  const control = picker(idOf(path), choices, String(value ?? ""), (chosen) => {
    /** @type {Edit[]} */
    const edits = [chosen ? { op: "set", path, value: chosen === "+" ? name : chosen } : { op: "delete", path }];
    if (chosen === "+") edits.push({ op: "set", path: ["groups", name], value: newGroup() });
    shown.edit(
      [...edits, ...unused(document, String(value ?? ""), path)],
      `${field.label}: ${chosen === "+" ? name : chosen || "none"}.`,
    );
  });
  return [labelled(field.label, control, { help: field.help ?? "", wrong: wrongAt(shown, path) })];
}
