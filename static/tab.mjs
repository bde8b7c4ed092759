// @ts-check
/**
 * What one visit keeps in its own tab (sessionStorage), so that Back, reload and retry toss no coin anew: first the raw
 * words of chance, drawn when the page opens and before any answer; once the response is frozen, that alone. Answers
 * are never kept, and words and response never at the same time. `forget` erases both. docs/respondent.md has the
 * threats.
 */

/**
 * @typedef {object} Tab
 * @property {number[] | null} words - The words of chance; null once the response is frozen.
 * @property {string} receipt - 32 random bytes in base64url.
 * @property {string | null} body - What is sent, byte for byte.
 */

/** @type {(fingerprint: string) => string} */
const key = (fingerprint) => `deniable ${fingerprint}`;

/**
 * What this tab kept, or new words and a new receipt.
 *
 * @param {string} fingerprint
 * @param {number} size - How many words.
 * @returns {Tab}
 */
export function openTab(fingerprint, size) {
  const kept = read(fingerprint);
  if (kept && (kept.body || kept.words?.length === size)) return kept;
  const words = [...crypto.getRandomValues(new Uint32Array(size))];
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const base64 = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
  const tab = { words, receipt: base64.slice(0, 43), body: null };
  keep(fingerprint, tab);
  return tab;
}

/** @type {(fingerprint: string) => Tab | null} */
function read(fingerprint) {
  try {
    return JSON.parse(sessionStorage.getItem(key(fingerprint)) ?? "null");
  } catch {
    return null; // no storage is allowed here
  }
}

/** Keep it in place of what was kept before. @type {(fingerprint: string, tab: Tab) => void} */
export function keep(fingerprint, tab) {
  try {
    sessionStorage.setItem(key(fingerprint), JSON.stringify(tab));
  } catch {} // then it lives as long as the page
}

/** Erase all of it. @type {(fingerprint: string) => void} */
export function forget(fingerprint) {
  try {
    sessionStorage.removeItem(key(fingerprint));
  } catch {} // nothing was kept
}
