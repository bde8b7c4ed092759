/**
 * Exact coins. A word source gives uniformly random 32-bit words; a draw below a bound rejects the words that would
 * favour some results. The Python twin is `draw` in tests/support/one_respondent.py; tests/vectors/coins.json ties the two.
 *
 * Plain numbers hold 2^32 exactly; bitwise operators would not, so there are none.
 */

/** @typedef {() => number} Words A source of uniformly random whole numbers, 0 to 2^32 - 1. */

const WORD = 2 ** 32;

/** A word of the browser's secure randomness, kept nowhere. @type {Words} */
export const secureWord = () => crypto.getRandomValues(new Uint32Array(1))[0];

/** A new receipt: 32 random bytes in base64url. */
export function newReceipt() {
  const base64 = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
  return base64.replaceAll("+", "-").replaceAll("/", "_").slice(0, 43);
}

/**
 * A uniformly random whole number from 0 to bound - 1. At least one word is taken, even where the bound is 1.
 *
 * @type {(bound: number, words: Words) => number}
 */
export function draw(bound, words) {
  if (!Number.isInteger(bound) || bound < 1 || bound > WORD) throw new RangeError("a bound is not 1 to 2^32");
  const limit = bound * Math.floor(WORD / bound);
  for (;;) {
    const word = words();
    if (!Number.isInteger(word) || word < 0 || word >= WORD) throw new RangeError("a word is not one of 32 bits");
    if (word < limit) return word % bound;
  }
}
