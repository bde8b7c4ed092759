/**
 * What one visit keeps in its own tab (sessionStorage), which a browser writes to its disk: which questions are asked,
 * where not everybody is asked all, and once the response is frozen its bytes, so that a reload shows and sends the
 * same. Neither an answer nor a word of chance is ever kept. docs/respondent.md says who could use what is.
 */

/**
 * @typedef {object} Tab
 * @property {string[] | undefined} asked - The names of the questions to ask, where not everybody is asked all.
 * @property {string | null} body - What is sent, byte for byte; null until the response is frozen.
 */

/** @type {(fingerprint: string) => string} */
const key = (fingerprint) => `deniable ${fingerprint}`;

/** What this tab kept, if anything. @type {(fingerprint: string) => Tab | null} */
export const kept = (fingerprint) => attempt(() => JSON.parse(sessionStorage.getItem(key(fingerprint)) ?? "null"));

/** Keep it in place of what was kept before. @type {(fingerprint: string, tab: Tab) => void} */
export const keep = (fingerprint, tab) => attempt(() => sessionStorage.setItem(key(fingerprint), JSON.stringify(tab)));

/** Take all of it out of the tab. @type {(fingerprint: string) => void} */
export const forget = (fingerprint) => attempt(() => sessionStorage.removeItem(key(fingerprint)));

/** Where no storage is allowed, the visit lives as long as the page. @type {(use: () => any) => any} */
function attempt(use) {
  try {
    return use();
  } catch {
    return null;
  }
}
