/** The texts of the survey as a table: a row for each text, a column for each language, edited in place. */

import { labelled, typed } from "../controls.mjs";
import { button, made } from "../parts.mjs";
import { STUDY } from "../settings.mjs";
import { placeIn } from "./places.mjs";

/** @typedef {import("../state.d.ts").Shown} Shown */
/** @typedef {import("../state.d.ts").TextRow} TextRow */

/** What the table does beside edits. @typedef {object} Hands
 * @property {(name: string, language: string) => void} confirm - Take a translation as one of the original as it is now.
 * @property {() => void} take - Ask for a table that was translated.
 */

const LONG = new Set(STUDY.flatMap(({ fields }) => fields.filter(({ long }) => long).map(({ key }) => key)));

/** The rows that are shown while only open ones are; all without. @type {Set<string> | null} */
let kept = null;

/** Whether there is something to do in a row. @param {TextRow} row */
const isOpen = (row) => row.missing.length + row.changed.length > 0;

/** How many texts of the survey are to be translated, or looked at. @param {TextRow[]} rows */
export const openIn = (rows) => rows.reduce((sum, row) => sum + row.missing.length + row.changed.length, 0);

/** @param {string} tag */
function nameOf(tag) {
  const name = new Intl.DisplayNames(["en"], { type: "language" }).of(tag);
  return name && name !== tag ? `${name} (${tag})` : tag;
}

/**
 * The table, with what is missing, and the way out and in.
 *
 * @param {Shown} shown
 * @param {Hands} hands
 * @returns {Node[]}
 */
export function translationsForm(shown, hands) {
  const { translations } = shown.state;
  if (shown.languages.length < 2) return [oneLanguage(shown)];
  const rows = translations.filter((row) => !kept || kept.has(row.name) || isOpen(row));
  const none = made("p", { id: "texts.none" }, "Every text is translated, and none is older than its original.");
  return [
    made("ul", { id: "texts.state" }, ...shown.languages.map((tag, index) => made("li", {}, stateOf(tag, index === 0, translations)))),
    only(shown),
    made(
      "div",
      { className: "row", id: "texts.ways" },
      ...["csv", "xlsx"].map((each) =>
        made("a", { id: `texts.${each}`, className: "button plain", href: `texts.${each}`, download: "" }, `Download ${each.toUpperCase()}`),
      ),
      button("texts.take", "Import…", hands.take, { className: "plain" }),
    ),
    made("div", { id: "texts" }, ...(rows.length ? rows.map((row) => rowOf(row, shown, hands)) : [none])),
  ];
}

/** What there is to do in a language. @param {string} tag @param {boolean} isFirst @param {TextRow[]} rows */
function stateOf(tag, isFirst, rows) {
  const missing = rows.filter((row) => row.missing.includes(tag)).length;
  const changed = rows.filter((row) => row.changed.includes(tag)).length;
  const parts = [
    isFirst ? "the original" : "",
    missing ? `${missing} of ${rows.length} texts missing` : isFirst ? `${rows.length} texts` : `all ${rows.length} texts translated`,
    changed ? `${changed} older than the original` : "",
  ];
  return `${nameOf(tag)}: ${parts.filter(Boolean).join(", ")}`;
}

/** The box that leaves out what is done. Rows that are done while it is ticked stay. @param {Shown} shown */
function only(shown) {
  const control = made("input", {
    id: "texts.only",
    type: "checkbox",
    checked: kept !== null,
    onchange: (/** @type {Event} */ event) => {
      const { checked } = /** @type {HTMLInputElement} */ (event.target);
      kept = checked ? new Set(shown.state.translations.filter(isOpen).map(({ name }) => name)) : null;
      shown.edit([], "");
    },
  });
  return labelled("Show only what is missing, or older than its original", control);
}

/** A text in each language. @param {TextRow} row @param {Shown} shown @param {Hands} hands */
function rowOf(row, shown, hands) {
  const id = ["t", ...row.path].join(".");
  const cells = shown.languages.map((tag, index) => {
    const isMissing = row.missing.includes(tag);
    const isChanged = row.changed.includes(tag);
    const isLong = LONG.has(String(row.path.at(-1)));
    const control = made("textarea", {
      id: `${id}.${tag}`,
      value: row.texts[tag] ?? "",
      lang: tag,
      dir: "auto",
      rows: 1,
      placeholder: row.stands,
      onchange: (/** @type {Event} */ event) => {
        const words = isLong ? typed(event) : typed(event).replace(/\s*\n\s*/g, " ");
        shown.edit([{ op: "text", path: row.path, language: tag, value: words }], `${placeIn(row.path)} (${tag}): changed.`);
      },
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter" || isLong || event.isComposing) return;
        event.preventDefault();
        below(/** @type {HTMLElement} */ (event.target), tag).focus();
      },
    });
    const help = isMissing ? "Missing." : isChanged ? "The original has changed since." : "";
    const right = isChanged && button(`${id}.${tag}.right`, "Still right", () => hands.confirm(row.name, tag), { className: "plain" });
    const cell = labelled(index ? tag : `${tag} (original)`, control, { help, more: right ? [right] : [] });
    if (isMissing || isChanged) cell.classList.add("lacks");
    return cell;
  });
  return made(
    "fieldset",
    { id, className: "text" },
    made("legend", {}, placeIn(row.path)),
    made("div", { className: "languages" }, ...cells),
  );
}

/** The next text of a language; the same one behind the last. @param {HTMLElement} here @param {string} tag @returns {HTMLElement} */
function below(here, tag) {
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#texts textarea")].filter((each) => each.getAttribute("lang") === tag));
  return all[all.indexOf(here) + 1] ?? here;
}

/** Where there is nothing to translate yet: another language can be added. @param {Shown} shown */
function oneLanguage(shown) {
  const control = made("input", { id: "texts.language", autocomplete: "off", spellcheck: false });
  const add = button("texts.add", "Add the language", () => {
    const input = /** @type {HTMLInputElement} */ (document.getElementById("texts.language"));
    const code = input.value.trim();
    if (!code) return input.focus();
    shown.edit([{ op: "languages", path: ["languages"], value: [...shown.languages, code] }], `Language ${code} is added.`, input);
  });
  return made(
    "fieldset",
    { id: "texts.more" },
    made("legend", {}, "Another language"),
    made("p", {}, `All texts are in ${nameOf(shown.languages[0] ?? "en")}. Once there is another language, they stand here side by side.`),
    labelled("Code of the language", control, { help: "Such as de, fr or pt-BR." }),
    add,
  );
}
