/** Answers that are written: numbers as people write them, 1200, 12.5, 12,5, 1 200, 1,200.50 or ١٢٠٠. */

import { valueOf } from "../disguise/coding.mjs";
import { isolated, fill, language as here } from "./questions.mjs";
import { addDecline, addHint } from "./sections.mjs";

const LONE = /^-?[1-9]\d{0,2}([.,])\d{3}$/;
const PARTED = /^(-?[1-9]\d{0,2}(['.,])\d{3}(?:\2\d{3}){0,3})(?:(?!\2)[.,d](\d{1,15}))?$/;
const LAKHS = /^(-?[1-9]\d?([',])(?:\d\d\2){1,5}\d{3})(?:[.d](\d{1,15}))?$/; // in twos, as in India
const PLAIN = /^-?\d{1,15}(?:[.,d]\d{1,15})?$/;

/**
 * The number, or null if the text is none or could be two.
 *
 * `sample` is 1234567 in the page's language, as in 1,234,567 or 12,34,567. A lone mark before three digits, as in 1.200, is
 * taken for thousands where the sample has it.
 */
export function readNumber(text, sample) {
  if (/\p{No}/u.test(text)) return null; // 10² is not 102
  const digits = text.normalize("NFKC").replace(/\p{Nd}/gu, digit).replace(/\p{Cf}/gu, ""); // no marks of direction
  const signed = digits.trim().replace(/^\u2212/, "-");
  const plain = signed.replace(/[\s\u2019\u066c]/g, "'").replace("\u066b", "d"); // marks that mean one thing only
  const lone = LONE.exec(plain);
  if (lone && !sample.includes(lone[1])) return null;
  const parted = PARTED.exec(plain) ?? (/,\d\d,/.test(sample) && LAKHS.exec(plain));
  if (parted) return Number(`${parted[1].replaceAll(parted[2], "")}.${parted[3] ?? 0}`);
  return PLAIN.test(plain) ? Number(plain.replace(/[,d]/, ".")) : null;
}

/** The digit 0 to 9 that one of any script means. */
const digit = (own) => [..."0123456789"].findIndex((each) => !each.localeCompare(own, "en", { sensitivity: "base" }));

/** A box to write in, with its bounds: how it is read. */
export function ask(built, box) {
  const { screen, asks: [{ question }], section, texts } = built;
  const { minimum = null, maximum = null, cuts, unit, whole } = screen.cuts ? screen : question;
  const input = box.querySelector("input");
  const [low, high] = built.bounds = [minimum, maximum].map((each) => (each === null ? "" : numberWords(each, here)));
  const bounds = high ? `${low || "\u2026"}\u2013${high}` : low && fill(texts.least, { number: low });
  if (whole) addHint(section, texts.whole);
  const of = unitWords(unit, here);
  box.querySelector("span:last-child").textContent = of + (bounds ? ` (${bounds})` : "");
  const declined = addDecline(box, question, texts);
  const read = () => readNumber(input.value, numberWords(1234567, here));
  built.typed = () => input.value.trim() && !declined() && `${numberWords(read(), here)} ${of}`;
  return () => {
    const number = read();
    const extra = declined() || (!input.value.trim() && question.values.includes("no_answer") && "no_answer");
    if (extra || !screen.cuts) return { [question.name]: extra || number };
    const { name, values } = question;
    return { [name]: values[valueOf({ name, kind: "number", minimum, maximum, cuts, whole }, { [name]: number })] };
  };
}

/** A unit in a language. */
function unitWords(unit, language) {
  return isolated(unit?.[language] ?? unit ?? "");
}

/** A number with its thousands parted as the language does. Three decimals have a fourth, so that they are no thousands: 1.2340. */
export function numberWords(number, language) {
  const most = { numberingSystem: "latn", maximumFractionDigits: 20 };
  return number.toLocaleString(language, LONE.test(number) ? { ...most, minimumFractionDigits: 4 } : most);
}
