// @ts-check
/** Checking what people read of a published design: its languages, its texts in each, and the study card. */

import { Fields, check } from "./fields.mjs";

/** @typedef {Readonly<Record<string, string>>} Text By language. */

const LONGEST_TEXT = 1000;
const MOST_MINUTES = 600;
const LANGUAGE = /^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*$/;
// Whether a character is assigned is left to the collector: a browser may know fewer of them.
// The no-break spaces and the joiners are part of French, Persian and Hindi spelling.
const UNPRINTABLE = /(?![ \u00a0\u202f\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}]/u;

/** @type {(languages: readonly string[]) => void} */
export function checkLanguages(languages) {
  check(languages.length > 0 && languages.every((tag) => LANGUAGE.test(tag)), "languages");
  const different = new Set(languages.map((tag) => tag.toLowerCase())).size;
  check(different === languages.length, "languages");
}

/** @type {(text: Text, languages: readonly string[], place: string, table?: string) => void} */
export function checkTexts(text, languages, place, table = place) {
  check(Object.values(text).every((each) => typeof each === "string"), table);
  for (const each of Object.values(text)) checkText(each, place);
  const all = Object.keys(text).length === languages.length && languages.every((tag) => Object.hasOwn(text, tag));
  check(all, place);
}

/** @type {(fields: Fields, languages: readonly string[]) => void} */
export function checkStudy(fields, languages) {
  const study = fields.read({
    who: "table?",
    why: "table?",
    contact: "table?",
    ethics: "table?",
    minutes: "integer?",
    until: "text?",
  });
  for (const key of ["who", "why", "contact", "ethics"]) {
    if (study[key]) checkTexts(study[key], languages, fields.within(key));
  }
  const { minutes, until } = { ...study, minutes: study.minutes ?? 1, until: study.until ?? "2000-01-01" };
  check(minutes >= 1 && minutes <= MOST_MINUTES, "study, minutes");
  const day = /^(?!0000)\d{4}-\d\d-\d\d$/.test(until) ? new Date(until) : new Date(NaN);
  check(!Number.isNaN(day.valueOf()) && day.toISOString().startsWith(until), "study, until");
}

/** @type {(text: string, place: string) => void} */
export function checkText(text, place) {
  check(text !== "" && text === text.trim() && !UNPRINTABLE.test(text), place);
  check([...text].length <= LONGEST_TEXT, place);
}
