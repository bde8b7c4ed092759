// @ts-check
/** Typed fields of a table, as collector/survey/fields.py reads them; but JSON's 1.0 is the whole number 1 here. */

import { divisor } from "../disguise/sampling.mjs";

const LARGEST_NUMBER = 2 ** 53; // beyond it numbers are not exact
const LONGEST_PLACE = 63;

/** What should be a published design is not one. */
export class DesignError extends Error {
  /** @param {string} place */
  constructor(place) {
    super(place);
    this.name = "DesignError";
    this.place = place;
  }
}

/** Refuse unless the condition holds. @type {(holds: boolean, place: string) => asserts holds} */
export function check(holds, place) {
  if (!holds) throw new DesignError(place);
}

/**
 * @typedef {string} Kind - One of those below: "text". With "[]" behind it a list of it, with "?" it may be absent or null.
 */

/** @type {Record<string, (value: any) => boolean>} */
const IS = {
  text: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  number: (value) => typeof value === "number" && Math.abs(value) <= LARGEST_NUMBER,
  list: Array.isArray,
  table: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/** A table being read. */
export class Fields {
  /** @param {any} table @param {string} place - Where it stands. */
  constructor(table, place) {
    check(IS.table(table), place);
    this.place = place;
    this.table = table;
  }

  /** The place of one key. @type {(key: string) => string} */
  within(key) {
    return `${this.place}, ${key}`;
  }

  /** The values of these keys, null for one that may be absent; any other is refused. @type {(kinds: Record<string, Kind>) => any} */
  read(kinds) {
    check(Object.keys(this.table).every((key) => Object.hasOwn(kinds, key)), this.place);
    return Object.fromEntries(Object.entries(kinds).map(([key, kind]) => [key, this.typed(key, kind)]));
  }

  /** @type {(key: string, kind: Kind) => any} */
  typed(key, kind) {
    const value = this.table[key] ?? null;
    if (value === null && kind.endsWith("?")) return null;
    check(Object.hasOwn(this.table, key), this.place);
    const all = kind.includes("[]") ? value : [value];
    check(IS.list(all) && all.every(IS[kind.replace(/\W/g, "")]), this.within(key));
    return value;
  }

  /** The tables under a key, each placed by its name where it has one. @type {(key: string, tables: any[]) => Fields[]} */
  tables(key, tables) {
    return tables.map((table, index) => {
      const length = IS.table(table) && IS.text(table.name) ? [...table.name].length : 0;
      const named = length > 0 && length <= LONGEST_PLACE;
      return new Fields(table, named ? `${key.slice(0, -1)} "${table.name}"` : this.within(`${key} number ${index + 1}`));
    });
  }

  /** Two whole numbers, such as a code and its weight. @type {(value: any[]) => readonly [number, number]} */
  pair(value) {
    check(value.every(IS.integer), this.within("pair"));
    check(value.length === 2, this.place);
    return [value[0], value[1]];
  }

  /** An exact fraction: [numerator, denominator] in lowest terms. @type {(value: any[]) => readonly [number, number]} */
  fraction(value) {
    const [numerator, denominator] = this.pair(value);
    check(denominator >= 1 && divisor(Math.abs(numerator), denominator) === 1, this.place);
    return [numerator, denominator];
  }
}
