/** Numbers as people write them: 1200, 12.5, 12,5, 1 200, 1,200.50 or ١٢٠٠. */

const LONE = /^-?[1-9]\d{0,2}([.,])\d{3}$/;
const PARTED = /^(-?[1-9]\d{0,2}(['.,])\d{3}(?:\2\d{3}){0,3})(?:(?!\2)[.,d](\d{1,15}))?$/;
const PLAIN = /^-?\d{1,15}(?:[.,d]\d{1,15})?$/;

/**
 * The number, or null if the text is none or could be two. A lone mark before three digits, as in 1.200, is taken for
 * thousands where it is `mark`, which parts thousands in the page's language.
 */
export function readNumber(text, mark) {
  const digits = text.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) % 16));
  const signed = digits.trim().replace(/^\u2212/, "-");
  const plain = signed.replace(/[\s\u2019\u066c]/g, "'").replace("\u066b", "d"); // marks that mean one thing only
  const lone = LONE.exec(plain);
  if (lone && lone[1] !== mark) return null;
  const parted = PARTED.exec(plain);
  if (parted) return Number(`${parted[1].replaceAll(parted[2], "")}.${parted[3] ?? 0}`);
  return PLAIN.test(plain) ? Number(plain.replace(/[,d]/, ".")) : null;
}

/** A number with its thousands parted as the language does. */
export function numberWords(number, language) {
  return number.toLocaleString(language, { numberingSystem: "latn", maximumFractionDigits: 20 });
}

/** A day, written 2026-12-31, as the language writes it. */
export function dayWords(day, language) {
  const about = ({ dateStyle: "long", timeZone: "UTC", numberingSystem: "latn" });
  return new Date(day).toLocaleDateString(language, about);
}
