/** Several values in what is pasted: lines, or else cells, or else what semicolons or commas part. */

const QUOTES = /^(?:"(.*)"|'(.*)'|“(.*)”|„(.*)[“”]|«(.*)»)$/s;
const BULLET = /^(?:[-*•–]|\d+[.)])\s+/;

/**
 * The values in a text, each once, without quotes, bullets and spaces around them; empty where there is but one.
 *
 * @param {string} text
 * @param {boolean} commas - Whether commas part values, too.
 * @returns {string[]}
 */
export function pastedValues(text, commas) {
  const marks = ["\n", "\t", ";", ...(commas ? [","] : [])];
  const plain = text.replaceAll(/\r\n?/g, "\n");
  for (const mark of marks) {
    const found = [...new Set(parted(plain, mark).map(tidied).filter(Boolean))];
    if (found.length > 1) return found;
  }
  return [];
}

/** A text in parts: a mark in double quotes parts nothing. @param {string} text @param {string} mark */
function parted(text, mark) {
  const parts = [""];
  let isQuoted = false;
  for (const each of text) {
    if (each === '"') isQuoted = !isQuoted;
    if (each === mark && !isQuoted) parts.push("");
    else parts[parts.length - 1] += each;
  }
  return isQuoted ? text.split(mark) : parts; // a quote that is not closed is none
}

/** @param {string} part */
function tidied(part) {
  const bare = part.trim().replace(BULLET, "").replace(/[;,]$/, "").trim();
  const inner = QUOTES.exec(bare)?.slice(1).find((each) => each !== undefined);
  return (inner?.replaceAll('""', '"') ?? bare).replaceAll(/\s+/g, " ").trim();
}

/** A name for tables like a text; by a number where none of it can stay. @param {string} text @param {string[]} taken */
export function nameLike(text, taken) {
  const plain = text.normalize("NFKD").toLowerCase().replaceAll(/\p{M}/gu, "").replaceAll("ß", "ss");
  const slug = plain.replaceAll(/[^a-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "").slice(0, 30).replace(/_+$/, "");
  const stem = /^[a-z]/.test(slug) ? slug : slug ? `q_${slug}` : "item";
  let name = stem;
  for (let number = 2; taken.includes(name); number += 1) name = `${stem}_${number}`;
  return name;
}
