/** What people type, as a survey file has it: numbers, days, and lists of either or of words. What is none of these stays as it is. */

/** @typedef {import("../state.d.ts").Value} Value */

const PLAIN = /^-?(\d+\.?\d*|\.\d+)$/;
const THOUSANDS = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^-?\d{1,3}(?:[ \u00a0\u202f']\d{3})+(?:[.,]\d+)?$/;
const COMMA = /^-?\d*,\d+$/;
const DAY = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;

/** A number: 5,000 and 5 000 are five thousand, 0,75 is three quarters. @param {string} words @returns {Value} */
export function numberIn(words) {
  if (PLAIN.test(words)) return Number(words);
  if (THOUSANDS.test(words)) {
    const bare = words.replaceAll(/[ \u00a0\u202f']/g, "");
    return Number(bare === words ? bare.replaceAll(",", "") : bare.replace(",", "."));
  }
  return COMMA.test(words) ? Number(words.replace(",", ".")) : words;
}

/** A day: 31.12.2027 is 2027-12-31. @param {string} words */
export function dayIn(words) {
  const [, day = "", month = "", year] = DAY.exec(words) ?? [];
  return year ? `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}` : words;
}

/** A list: parted by semicolons or lines; else by commas; else by blanks. @param {string} words @param {"number" | "day" | "word" | undefined} of @returns {Value[]} */
export function listIn(words, of) {
  const isNumber = of === "number";
  const commas = isNumber && /,\s/.test(words) ? /,\s+/ : /,/; // a comma before a digit may be within a number
  const mark = [/[;\n]+/, commas, /\s+/].find((each) => each.test(words)) ?? commas;
  const isOne = isNumber && THOUSANDS.test(words) && /[^\d]0/.test(words); // 5,000 is one number, 400,800 are two
  const parts = isOne ? [words] : words.split(mark);
  return parts.map((each) => each.trim()).filter(Boolean).map((each) => (isNumber ? numberIn(each) : of === "day" ? dayIn(each) : each));
}
