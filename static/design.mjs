// @ts-check
/**
 * Reading a published design, trusting nothing in it: the rules of collector/design.py, the same places named, which
 * also says in words what is wrong there. tests/vectors/designs.json ties the two.
 */

import { Fields, LARGEST_NUMBER, check } from "./fields.mjs";
import { checkLanguages, checkStudy, checkText, checkTexts } from "./texts.mjs";

/**
 * @typedef {readonly [number, number]} Pair
 *
 * @typedef {object} Coding
 * @property {string} scheme - "plain", "szucs" or "balanced".
 * @property {readonly number[]} codes - Every code that may be sent, ascending.
 * @property {readonly number[] | null} complements - The partner of each code; null for a plain coding.
 * @property {readonly (readonly Pair[])[]} draws - For each value its codes, each with a whole weight.
 *
 * @typedef {object} Question
 * @property {string} name
 * @property {string} kind - "yes_no", "choice", "scale" or "number".
 * @property {boolean} sensitive
 * @property {import("./texts.mjs").Text} label
 * @property {import("./texts.mjs").Text | null} hint
 * @property {readonly import("./texts.mjs").Text[]} words - How the values read, in order; none if as they are.
 * @property {readonly string[]} values
 * @property {string | null} unit
 * @property {number | null} minimum
 * @property {readonly number[]} cuts
 * @property {Coding} coding
 *
 * @typedef {object} Group
 * @property {string} name
 * @property {string} channel - "complement" or "uniform".
 * @property {Pair} truth - The chance that the group is sent as it is: [numerator, denominator].
 * @property {readonly string[]} questions
 *
 * @typedef {object} Design
 * @property {string} name
 * @property {readonly Question[]} questions
 * @property {readonly Group[]} groups
 */

const FORMAT = 1;
const WORD = 2 ** 32;
const LARGEST_CODE = 2 ** 15 - 1;
const MOST_VALUES = 256;
const KINDS = ["yes_no", "choice", "scale", "number"];
const NAME = /^[a-z][a-z0-9_]{0,62}$/;
const RESERVED = ["id", "and", "in"];
const PREVIEWS = ["before", "after", "off"];

/**
 * Read a published design.
 *
 * @param {unknown} design - What `JSON.parse` made of the canonical JSON.
 * @returns {Design} Known to be sound.
 * @throws {import("./fields.mjs").DesignError} Naming the place.
 */
export function readDesign(design) {
  const fields = new Fields(design, "design");
  const read = fields.read({
    format: "integer",
    name: "text",
    title: "table",
    languages: "text[]",
    preview: "text",
    study: "table?",
    questions: "list",
    groups: "list",
    target: "text?",
  });
  const { format, name, title, languages, preview, study, target } = read;
  check(format === FORMAT, "design, format");
  checkLanguages(languages);
  checkTexts(title, languages, "title", "design, title");
  if (study !== null) checkStudy(new Fields(study, "study"), languages);
  const questions = fields.tables("questions", read.questions).map((each) => readQuestion(each, languages));
  const groups = fields.tables("groups", read.groups).map(readGroup);
  checkName(name, "name");
  check(PREVIEWS.includes(preview), "preview");
  check(questions.length > 0, "questions");
  const names = questions.map((question) => question.name);
  names.forEach((each, index) => check(names.indexOf(each) === index, `question "${each}"`));
  checkGroups(questions, groups);
  check(target === null || names.includes(target), "mining, target");
  return { name, questions, groups };
}

/** @type {(fields: Fields, languages: readonly string[]) => Question} */
function readQuestion(fields, languages) {
  const { prior, ...question } = fields.read({
    name: "text",
    kind: "text",
    label: "table",
    hint: "table?",
    words: "table[]",
    sensitive: "boolean",
    values: "text[]",
    unit: "text?",
    minimum: "number?",
    cuts: "number[]",
    prior: "list[]",
    coding: "table",
  });
  question.coding = readCoding(new Fields(question.coding, fields.within("coding")));
  const place = `question "${question.name}"`;
  checkName(question.name, place);
  check(KINDS.includes(question.kind), `${place}, kind`);
  checkTexts(question.label, languages, `${place}, label`);
  if (question.hint !== null) checkTexts(question.hint, languages, `${place}, hint`);
  checkValues(question.values, `${place}, values`);
  const expected = question.kind === "yes_no" ? ["yes", "no"] : question.values;
  check(same(question.values, expected), `${place}, values`);
  checkWords(question, languages);
  checkNumbers(question, place);
  checkPrior(prior.map((/** @type {any[]} */ pair) => fields.fraction(pair)), question.values.length, `${place}, prior`);
  check(question.coding.draws.length === question.values.length, `${place}, coding`);
  return question;
}

/** @type {(question: Question, languages: readonly string[]) => void} */
function checkWords({ name, kind, values, words }, languages) {
  const place = `question "${name}", words`;
  const whole = words.length === 0 || (kind !== "number" && words.length === values.length);
  check(whole, place);
  for (const text of words) checkTexts(text, languages, place);
  check(languages.every((tag) => distinct(words.map((text) => text[tag]))), place);
}

/** @type {(fields: Fields) => Coding} */
function readCoding(fields) {
  const coding = fields.read({ scheme: "text", codes: "integer[]", complements: "integer[]?", draws: "list[]" });
  check(coding.draws.flat().every(Array.isArray), fields.within("draws"));
  coding.draws = coding.draws.map((/** @type {any[]} */ each) => each.map((draw) => fields.pair(draw)));
  const sound = coding.scheme === "plain" ? isPlain(coding) : isPaired(coding);
  check(hasDraws(coding) && sound, fields.place);
  return coding;
}

/** Every value has codes of its own, with weights that one word can draw. @type {(coding: Coding) => boolean} */
function hasDraws({ codes, draws }) {
  const used = draws.flat().map(([code]) => code);
  return (
    codes.length > 0 && codes[0] >= 0 && ascending(codes) && codes[codes.length - 1] <= LARGEST_CODE &&
    draws.length > 1 && draws.every((each) => each.length > 0 && drawable(each)) &&
    used.every((code) => codes.includes(code)) && distinct(used)
  );
}

/** @type {(draws: readonly Pair[]) => boolean} */
function drawable(draws) {
  return draws.every(([, weight]) => weight > 0) && draws.reduce((sum, [, weight]) => sum + weight, 0) <= WORD;
}

/** The values are numbered from 0. @type {(coding: Coding) => boolean} */
function isPlain({ codes, complements, draws }) {
  const numbered = draws.every((each, value) => each.length === 1 && each[0][0] === value && codes[value] === value);
  return numbered && codes.length === draws.length && complements === null;
}

/** A complement flips all bits of its code. @type {(coding: Coding) => boolean} */
function isPaired({ scheme, codes, complements }) {
  const mask = codes[codes.length - 1];
  const partners = codes.map((code) => mask - code); // all bits flipped, as the mask is all ones
  const flips = allOnes(mask) && same(complements ?? [], partners) && partners.every((code) => codes.includes(code));
  return flips && ["szucs", "balanced"].includes(scheme);
}

/** @type {(mask: number) => boolean} */
function allOnes(mask) {
  let power = 1;
  while (power <= mask) power *= 2;
  return power - 1 === mask;
}

/** @type {(name: string, place: string) => void} */
function checkName(name, place) {
  check(NAME.test(name) && !RESERVED.includes(name), place);
}

/** @type {(values: readonly string[], place: string) => void} */
function checkValues(values, place) {
  for (const value of values) checkText(value, place);
  const marked = values.some((value) => value.startsWith("#"));
  check(values.length > 1 && values.length <= MOST_VALUES && distinct(values) && !marked, place);
}

/** @type {(question: Question, place: string) => void} */
function checkNumbers({ kind, values, unit, minimum, cuts }, place) {
  if (kind === "number") {
    check(same(values, intervalLabels(cuts)), `${place}, cuts`);
    check(ascending(cuts), `${place}, cuts`);
    check(minimum === null || minimum < cuts[0], `${place}, minimum`);
  } else {
    check(cuts.length === 0 && unit === null && minimum === null, place);
  }
}

/** @type {(cuts: readonly number[]) => string[]} */
function intervalLabels(cuts) {
  if (cuts.length === 0) return [];
  const words = cuts.map(written);
  const inner = words.slice(1).map((high, index) => `${words[index]}..${high}`);
  return [`<${words[0]}`, ...inner, `>=${words[words.length - 1]}`];
}

/** A number as Python writes it, who wrote the labels. @type {(number: number) => string} */
function written(number) {
  const small = number !== 0 && Math.abs(number) < 1e-4;
  return small ? number.toExponential().replace(/e-(\d)$/, "e-0$1") : String(number);
}

/** @type {(prior: readonly Pair[], values: number, place: string) => void} */
function checkPrior(prior, values, place) {
  const fits = prior.every(([numerator, denominator]) => numerator > 0 && denominator <= LARGEST_NUMBER);
  check(fits && prior.length === values, place);
  let [sum, scale] = [0n, 1n];
  for (const [numerator, denominator] of prior) {
    sum = sum * BigInt(denominator) + BigInt(numerator) * scale;
    scale *= BigInt(denominator);
  }
  check(sum === scale, place);
}

/** @type {(fields: Fields) => Group} */
function readGroup(fields) {
  const { name, channel, truth, questions } = fields.read({
    name: "text",
    channel: "text",
    truth: "list",
    questions: "text[]",
  });
  const [numerator, denominator] = fields.fraction(truth);
  check(["complement", "uniform"].includes(channel), fields.within("channel"));
  const silent = channel === "complement" ? numerator * 2 === denominator : numerator === 0; // it would say nothing
  check(numerator >= 0 && numerator <= denominator && denominator <= WORD && !silent, fields.within("truth"));
  return { name, channel, truth: [numerator, denominator], questions };
}

/** @type {(questions: readonly Question[], groups: readonly Group[]) => void} */
function checkGroups(questions, groups) {
  const grouped = new Set();
  for (const group of groups) {
    const place = `group "${group.name}"`;
    checkName(group.name, place);
    check(group.questions.length > 0, place);
    for (const name of group.questions) {
      const question = questions.find((each) => each.name === name);
      if (grouped.has(name) || question === undefined) return check(false, place);
      grouped.add(name);
      checkMember(question, group);
    }
    const ordered = questions.map(({ name }) => name).filter((name) => group.questions.includes(name));
    check(same(group.questions, ordered), place);
  }
  check(distinct(groups.map(({ name }) => name)), "groups");
  for (const { name, sensitive, coding } of questions) {
    check(sensitive ? grouped.has(name) : coding.scheme === "plain", `question "${name}"`);
  }
}

/** @type {(question: Question, group: Group) => void} */
function checkMember({ name, sensitive, coding }, { channel }) {
  check(sensitive, `question "${name}"`);
  check((coding.scheme === "plain") === (channel === "uniform"), `question "${name}", coding`);
}

/** @type {(all: readonly unknown[]) => boolean} */
const distinct = (all) => new Set(all).size === all.length;

/** @type {(numbers: readonly number[]) => boolean} */
const ascending = (numbers) => numbers.every((number, index) => index === 0 || numbers[index - 1] < number);

/** @type {(first: readonly unknown[], second: readonly unknown[]) => boolean} */
const same = (first, second) => first.length === second.length && first.every((each, index) => each === second[index]);
