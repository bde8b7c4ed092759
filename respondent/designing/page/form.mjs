/** Forms: a labelled control for each field of a table, with what is wrong with it below. */

import { made } from "./parts.mjs";
import { conditionHelp } from "./condition.mjs";
import { filesRows, itemRows, shareRows, valueRows } from "./rows.mjs";

/** @typedef {import("./state.d.ts").Edit} Edit */
/** @typedef {import("./state.d.ts").Field} Field */
/** @typedef {import("./state.d.ts").Part} Part */
/** @typedef {import("./state.d.ts").Path} Path */
/** @typedef {import("./state.d.ts").Shown} Shown */
/** @typedef {import("./state.d.ts").Table} Table */
/** @typedef {import("./state.d.ts").Value} Value */

/** The id of the control for a path. @param {Path} path */
export const idOf = (path) => ["f", ...path].join(".");

/** @param {Value | undefined} value @returns {value is Table} */
export const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** What stands at a path. @param {Value | undefined} value @param {Path} path @returns {Value | undefined} */
export const at = (value, path) => path.reduce((/** @type {any} */ there, key) => there?.[key], value);

/** A text in one of the languages; without languages of its own it is that of the first. @param {Value | undefined} text @param {string} language @param {string[]} languages */
export function textIn(text, language, languages) {
  if (isTable(text)) return String(text[language] ?? "");
  return text !== undefined && text !== null && language === languages[0] ? String(text) : "";
}

/** The edit that writes a text in one language. @param {Path} path @param {Value | undefined} text @param {string} language @param {string[]} languages @param {string} words @returns {Edit} */
export function textEdit(path, text, language, languages, words) {
  if (isTable(text)) {
    return words ? { op: "set", path: [...path, language], value: words } : { op: "delete", path: [...path, language] };
  }
  if (languages.length === 1) return words ? { op: "set", path, value: words } : { op: "delete", path };
  const before = text === undefined || text === null ? {} : { [languages[0] ?? "en"]: text };
  return { op: "set", path, value: { ...before, [language]: words } };
}

/** A number where the words are one, as it is written. @param {string} words @returns {Value} */
export const numberIn = (words) => (/^-?(\d+\.?\d*|\.\d+)$/.test(words) ? Number(words) : words);

/**
 * A label, its control, a line of help and what is wrong.
 *
 * @param {string} label
 * @param {HTMLElement} control
 * @param {{help?: string, wrong?: string[], more?: Node[]}} [around]
 */
export function labelled(label, control, { help = "", wrong = [], more = [] } = {}) {
  const described = [help && `${control.id}.help`, wrong.length && `${control.id}.wrong`].filter(Boolean).join(" ");
  if (described) control.setAttribute("aria-describedby", described);
  if (wrong.length) control.setAttribute("aria-invalid", "true");
  const name = made("label", { htmlFor: control.id }, label);
  const isFlag = control instanceof HTMLInputElement && control.type === "checkbox";
  return made(
    "div",
    { className: isFlag ? "field flag" : "field", id: `${control.id}.field` },
    ...(isFlag ? [control, name] : [name, control]),
    help && made("p", { className: "quiet", id: `${control.id}.help` }, help),
    wrong.length > 0 && made("p", { className: "wrong", id: `${control.id}.wrong` }, wrong.join(" ")),
    ...more,
  );
}

/** What is wrong at a path, and below it, in words. @param {Shown} shown @param {Path} path */
export function wrongAt(shown, path) {
  const there = shown.state.problems.filter((each) => path.every((key, index) => each.path[index] === key));
  return there.map((each) => `${each.problem}: ${each.remedy}.`);
}

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
  const controls = languages.map((language, index) => {
    const control = made(field.long ? "textarea" : "input", {
      id: idOf([...path, language]),
      value: textIn(value, language, languages),
      lang: language,
      dir: "auto",
      autocomplete: "off",
      ...(field.long && { rows: 4 }),
      onchange: (/** @type {Event} */ event) =>
        shown.edit([textEdit(path, value, language, languages, typed(event))], `${field.label}: changed.`),
    });
    const label = languages.length > 1 ? `${field.label} (${language})` : field.label;
    return labelled(label, control, { help: index ? "" : (field.help ?? ""), wrong: index ? [] : wrong });
  });
  return made("div", { className: "languages", id: `${idOf(path)}.languages` }, ...controls);
}

/** What somebody typed, without spaces around it. @param {Event} event */
export const typed = (event) => /** @type {HTMLInputElement} */ (event.target).value.trim();

/** @param {Field} field @param {Path} path @param {Value | undefined} value @param {Shown} shown */
function wordField(field, path, value, shown) {
  /** @param {string} words @returns {Edit[]} */
  const edits = (words) => {
    if (field.as === "name") return words ? [{ op: "rename", path: path.slice(0, -1), to: words }] : [];
    if (!words) return [{ op: "delete", path }];
    if (field.as === "list")
      return [
        {
          op: "set",
          path,
          value: words.split(",").map((each) => (field.of === "number" ? numberIn(each.trim()) : each.trim())),
        },
      ];
    return [{ op: "set", path, value: field.as === "number" ? numberIn(words) : words }];
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
  const more = field.as === "condition" ? conditionHelp(path, String(value ?? ""), shown) : [];
  return labelled(field.label, control, { help: field.help ?? "", wrong: wrongAt(shown, path), more });
}

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

/**
 * A choice from a list.
 *
 * @param {string} id
 * @param {[string, string][]} choices - What is written, and how it reads.
 * @param {string} standing
 * @param {(chosen: string) => void} onchoice
 */
export function picker(id, choices, standing, onchoice) {
  const known = choices.some(([each]) => each === standing)
    ? choices
    : [...choices, /** @type {[string, string]} */ ([standing, standing])];
  const control = made(
    "select",
    { id, onchange: (/** @type {Event} */ event) => onchoice(typed(event)) },
    ...known.map(([each, words]) => made("option", { value: each }, words)),
  );
  control.value = standing;
  return control;
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

/** The settings of a new group. @returns {Table} */
export const newGroup = () => ({ truth: "3/4", channel: "uniform" });

/**
 * The edit that drops a group which was made for a question alone, never changed, and would have no question.
 *
 * @param {Table} document
 * @param {string} group
 * @param {Path} path - Of the question, or of its group.
 * @returns {Edit[]}
 */
export function unused(document, group, path) {
  const tables = Array.isArray(document.questions) ? document.questions : [];
  const others = tables.some((each, index) => index !== path[1] && isTable(each) && each.group === group);
  const isMade = group === at(document, [...path.slice(0, 2), "name"]) || /^question_\d+$/.test(group);
  const isNew = JSON.stringify(at(document, ["groups", group])) === JSON.stringify(newGroup());
  return isMade && isNew && !others ? [{ op: "delete", path: ["groups", group] }] : [];
}

/** A name that is not taken. @param {string} stem @param {string[]} taken */
export function freshName(stem, taken) {
  let number = taken.length + 1;
  while (taken.includes(`${stem}_${number}`)) number += 1;
  return `${stem}_${number}`;
}
