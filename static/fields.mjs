// @ts-check
/**
 * Taking typed fields out of a table that somebody else wrote: every key accounted for, every type checked. The twin of
 * collector/fields.py. One difference cannot be mended: JSON's 1.0 reads as the whole number 1 here, and is refused there.
 */

export const LARGEST_NUMBER = 2 ** 53; // beyond it numbers are not exact
const LONGEST_PLACE = 63;

/** What should be a published design is not one. */
export class DesignError extends Error {
  /** @param {string} place - Where in the design something is wrong. */
  constructor(place) {
    super(place);
    this.name = "DesignError";
    this.place = place;
  }
}

/**
 * Refuse unless the condition holds.
 *
 * @type {(holds: boolean, place: string) => asserts holds}
 * @throws {DesignError}
 */
export function check(holds, place) {
  if (!holds) throw new DesignError(place);
}

/** @typedef {"text" | "boolean" | "integer" | "number" | "list" | "table"} Kind */

/** @type {Record<Kind, (value: unknown) => boolean>} */
const IS = {
  text: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  number: (value) => typeof value === "number" && Math.abs(value) <= LARGEST_NUMBER,
  list: Array.isArray,
  table: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/** A table being read. `finish` refuses the keys that nobody took. */
export class Fields {
  /**
   * @param {unknown} table - What should be a table.
   * @param {string} place - Where it stands.
   */
  constructor(table, place) {
    check(IS.table(table), place);
    this.place = place;
    this.left = new Map(Object.entries(/** @type {object} */ (table)));
  }

  /** The place of one key. @type {(key: string) => string} */
  within(key) {
    return `${this.place}, ${key}`;
  }

  /** The value of a key that must be there. @type {(key: string, kind: Kind) => any} */
  take(key, kind) {
    check(this.left.has(key), this.place);
    const value = this.left.get(key);
    this.left.delete(key);
    this.allOf(key, [value], kind);
    return value;
  }

  /** The value of a key; null where it is absent or null. @type {(key: string, kind: Kind) => any} */
  takeOptional(key, kind) {
    if ((this.left.get(key) ?? null) !== null) return this.take(key, kind);
    this.left.delete(key);
    return null;
  }

  /** A list that must be there, of one kind. @type {(key: string, kind: Kind) => any[]} */
  takeList(key, kind) {
    return this.allOf(key, this.take(key, "list"), kind);
  }

  /** These values, once each is known to be of one kind. @type {(key: string, values: any[], kind: Kind) => any[]} */
  allOf(key, values, kind) {
    check(values.every(IS[kind]), this.within(key));
    return values;
  }

  /** A list of tables, each placed by its name where it has one. @type {(key: string) => Fields[]} */
  tables(key) {
    return this.take(key, "list").map((/** @type {any} */ table, /** @type {number} */ index) => {
      const length = IS.table(table) && typeof table.name === "string" ? [...table.name].length : 0;
      const named = length > 0 && length <= LONGEST_PLACE;
      return new Fields(table, named ? `${key.slice(0, -1)} "${table.name}"` : this.within(`${key} number ${index + 1}`));
    });
  }

  /** Two whole numbers, such as a code and its weight. @type {(value: any[]) => readonly [number, number]} */
  pair(value) {
    const pair = this.allOf("pair", value, "integer");
    check(pair.length === 2, this.place);
    return [pair[0], pair[1]];
  }

  /** An exact fraction: [numerator, denominator] in lowest terms. @type {(value: any[]) => readonly [number, number]} */
  fraction(value) {
    const [numerator, denominator] = this.pair(value);
    const lowest = denominator >= 1 && divisor(Math.abs(numerator), denominator) === 1;
    check(lowest, this.place);
    return [numerator, denominator];
  }

  /** Refuse what is left over. */
  finish() {
    check(this.left.size === 0, this.place);
  }
}

/** The greatest common divisor. @type {(a: number, b: number) => number} */
function divisor(a, b) {
  return b === 0 ? a : divisor(b, a % b);
}
