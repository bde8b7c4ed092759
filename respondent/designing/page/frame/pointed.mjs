/** The field of what is clicked in the preview: found by its id, and marked as long as its question is shown. */

/** @typedef {import("./preview.mjs").Spot} Spot */

/** Ids of the fields of a question, by what is clicked; the first that is there is meant. */
const FIELDS = /** @type {Record<string, string[]>} */ ({
  answers: ["words.LANGUAGE.ROW", "options.ROW.LANGUAGE", "items.ROW.LANGUAGE", "options.ROW", "items.ROW", "values.ROW", "cuts"],
  statements: ["statements.ROW.LANGUAGE", "statements.ROW"],
});

/** The id of the field that is marked; empty for none. */
let pointed = "";

/** The control of what is clicked, in the form of its question. @param {Spot} spot @returns {HTMLElement | undefined} */
export function controlOf({ index, key, language, row }) {
  const ids = FIELDS[key] ?? [`${key}.LANGUAGE`];
  const wanted = ids.map((each) => each.replace("LANGUAGE", language).replace("ROW", String(row)));
  return wanted.map((each) => document.getElementById(`f.questions.${index}.${each}`)).find((each) => each !== null) ?? undefined;
}

/** Mark the field of a control in place of the one before. @param {string} id - Of the control; empty to mark none. */
export function pointTo(id) {
  pointed = id && `${id}.field`;
  markPointed();
}

/** Mark the field again, after its form was drawn anew. */
export function markPointed() {
  for (const each of document.querySelectorAll(".pointed")) each.classList.toggle("pointed", each.id === pointed);
  document.getElementById(pointed)?.classList.add("pointed");
}
