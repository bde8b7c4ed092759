// @ts-check
/**
 * Reading a published design, trusting nothing in it: the rules of collector/design.py, the same places named.
 * tests/vectors/designs.json ties the two.
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
  check(fields.take("format", "a whole number") === FORMAT, "design, format", "this version cannot read it");
  const name = fields.take("name", "text");
  const title = fields.take("title", "a table");
  const languages = fields.takeList("languages", "text");
  const preview = fields.take("preview", "text");
  const study = fields.takeOptional("study", "a table");
  checkLanguages(languages);
  checkTexts(title, languages, "title", "design, title");
  if (study !== null) checkStudy(new Fields(study, "study"), languages);
  const questions = fields.tables("questions").map((each) => readQuestion(each, languages));
  const groups = fields.tables("groups").map(readGroup);
  const target = fields.takeOptional("target", "text");
  fields.finish();
  checkName(name, "name");
  check(PREVIEWS.includes(preview), "preview", "there is no such preview");
  check(questions.length > 0, "questions", "there are none");
  for (const each of questions) {
    const once = questions.filter((other) => other.name === each.name).length === 1;
    check(once, `question "${each.name}"`, "the name is used twice");
  }
  checkGroups(questions, groups);
  const known = target === null || questions.some((question) => question.name === target);
  check(known, "mining, target", "no question has this name");
  return { name, questions, groups };
}

/** @type {(fields: Fields, languages: readonly string[]) => Question} */
function readQuestion(fields, languages) {
  const coding = readCoding(new Fields(fields.take("coding", "a table"), fields.within("coding")));
  const prior = fields.takeList("prior", "a list").map((pair) => fields.fraction(pair));
  const label = fields.take("label", "a table");
  const hint = fields.takeOptional("hint", "a table");
  const words = fields.takeList("words", "a table");
  const question = {
    name: fields.take("name", "text"),
    kind: fields.take("kind", "text"),
    sensitive: fields.take("sensitive", "true or false"),
    values: fields.takeList("values", "text"),
    unit: fields.takeOptional("unit", "text"),
    minimum: fields.takeOptional("minimum", "a number"),
    cuts: fields.takeList("cuts", "a number"),
    coding,
  };
  const place = `question "${question.name}"`;
  checkName(question.name, place);
  check(KINDS.includes(question.kind), `${place}, kind`, "there is no such kind");
  checkTexts(label, languages, `${place}, label`);
  if (hint !== null) checkTexts(hint, languages, `${place}, hint`);
  checkValues(question.values, `${place}, values`);
  const expected = question.kind === "yes_no" ? ["yes", "no"] : question.values;
  check(same(question.values, expected), `${place}, values`, "they are not yes and no");
  checkWords(words, question, languages);
  checkNumbers(question, place);
  checkPrior(prior, question.values.length, `${place}, prior`);
  check(coding.draws.length === question.values.length, `${place}, coding`, "it does not code every value");
  fields.finish();
  return question;
}

/** @type {(words: readonly import("./texts.mjs").Text[], question: Question, languages: readonly string[]) => void} */
function checkWords(words, { name, kind, values }, languages) {
  const place = `question "${name}", words`;
  const whole = words.length === 0 || (kind !== "number" && words.length === values.length);
  check(whole, place, "they are not one for each value");
  for (const text of words) checkTexts(text, languages, place);
  const once = languages.every((tag) => new Set(words.map((text) => text[tag])).size === words.length);
  check(once, place, "two values read the same");
}

/** @type {(fields: Fields) => Coding} */
function readCoding(fields) {
  const complements = fields.takeOptional("complements", "a list");
  const draws = fields.takeList("draws", "a list").map((each) => fields.allOf("draws", each, "a list"));
  const coding = {
    scheme: fields.take("scheme", "text"),
    codes: fields.takeList("codes", "a whole number"),
    complements: complements && fields.allOf("complements", complements, "a whole number"),
    draws: draws.map((each) => each.map((draw) => fields.pair(draw))),
  };
  checkDraws(coding);
  if (coding.scheme === "plain") checkPlain(coding);
  else checkPaired(coding);
  fields.finish();
  return coding;
}

/** @type {(coding: Coding) => void} */
function checkDraws({ codes, draws }) {
  const used = draws.flat().map(([code]) => code);
  check(codes.length > 0 && codes[0] >= 0 && ascending(codes), "coding", "the codes are not ascending from 0 or more");
  check(codes[codes.length - 1] <= LARGEST_CODE, "coding", "a code is larger than 2^15 - 1");
  check(draws.length > 1 && draws.every((each) => each.length > 0), "coding", "a value has no code");
  check(new Set(used).size === used.length, "coding", "a code stands for two values");
  check(used.every((code) => codes.includes(code)), "coding", "a value has a code that is not among the codes");
  for (const each of draws) {
    check(each.every(([, weight]) => weight > 0), "coding", "a weight is not positive");
    check(each.reduce((sum, [, weight]) => sum + weight, 0) <= WORD, "coding", "weights add up to more than 2^32");
  }
}

/** @type {(coding: Coding) => void} */
function checkPlain({ codes, complements, draws }) {
  const numbered = draws.every((each, value) => each.length === 1 && each[0][0] === value && codes[value] === value);
  const holds = numbered && codes.length === draws.length && complements === null;
  check(holds, "coding", "a plain coding numbers its values from 0");
}

/** @type {(coding: Coding) => void} */
function checkPaired({ scheme, codes, complements }) {
  check(["szucs", "balanced"].includes(scheme), "coding", "the scheme is not plain, szucs or balanced");
  const mask = codes[codes.length - 1];
  const partners = codes.map((code) => mask - code); // all bits flipped, as the mask is all ones
  const holds = allOnes(mask) && same(complements ?? [], partners) && partners.every((code) => codes.includes(code));
  check(holds, "coding", "a complement does not flip all bits of its code");
}

/** @type {(mask: number) => boolean} */
function allOnes(mask) {
  let power = 1;
  while (power <= mask) power *= 2;
  return power - 1 === mask;
}

/** @type {(name: string, place: string) => void} */
function checkName(name, place) {
  check(NAME.test(name), place, "the name is not [a-z][a-z0-9_]*, at most 63 characters");
  check(!RESERVED.includes(name), place, "the name is reserved");
}

/** @type {(values: readonly string[], place: string) => void} */
function checkValues(values, place) {
  check(values.length > 1 && values.length <= MOST_VALUES, place, `there are not 2 to ${MOST_VALUES} of them`);
  for (const value of values) {
    checkText(value, place);
    check(!value.startsWith("#"), place, 'a value begins with "#"');
  }
  check(new Set(values).size === values.length, place, "a value is listed twice");
}

/** @type {(question: Question, place: string) => void} */
function checkNumbers({ kind, values, unit, minimum, cuts }, place) {
  if (kind === "number") {
    check(same(values, intervalLabels(cuts)), `${place}, cuts`, "they do not fit the values");
    check(ascending(cuts), `${place}, cuts`, "they are not ascending");
    check(minimum === null || minimum < cuts[0], `${place}, minimum`, "it is not below the first cut");
  } else {
    check(cuts.length === 0 && unit === null && minimum === null, place, "cuts, unit and minimum are for numbers");
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
  check(prior.length === values, place, "it does not name every value");
  check(prior.every(([numerator]) => numerator > 0), place, "a frequency is not positive");
  check(prior.every(([, denominator]) => denominator <= LARGEST_NUMBER), place, "a frequency is finer than 1 in 2^53");
  let [sum, scale] = [0n, 1n];
  for (const [numerator, denominator] of prior) {
    sum = sum * BigInt(denominator) + BigInt(numerator) * scale;
    scale *= BigInt(denominator);
  }
  check(sum === scale, place, "it does not add up to 1");
}

/** @type {(fields: Fields) => Group} */
function readGroup(fields) {
  const channel = fields.take("channel", "text");
  const [numerator, denominator] = fields.fraction(fields.take("truth", "a list"));
  check(["complement", "uniform"].includes(channel), "channel", "there is no such channel");
  check(numerator >= 0 && numerator <= denominator, "truth", "it is not a probability");
  check(denominator <= WORD, "truth", "the denominator exceeds 2^32");
  const silent = channel === "complement" ? numerator * 2 === denominator : numerator === 0;
  check(!silent, "truth", "the responses would say nothing at all");
  const name = fields.take("name", "text");
  const questions = fields.takeList("questions", "text");
  fields.finish();
  return { name, channel, truth: [numerator, denominator], questions };
}

/** @type {(questions: readonly Question[], groups: readonly Group[]) => void} */
function checkGroups(questions, groups) {
  const grouped = new Set();
  for (const group of groups) {
    const place = `group "${group.name}"`;
    checkName(group.name, place);
    check(group.questions.length > 0, place, "it is empty");
    for (const name of group.questions) {
      const question = questions.find((each) => each.name === name);
      if (grouped.has(name) || question === undefined) return check(false, place, "it shares or misses a question");
      grouped.add(name);
      checkMember(question, group);
    }
    const ordered = questions.map(({ name }) => name).filter((name) => group.questions.includes(name));
    check(same(group.questions, ordered), place, "its questions are not in survey order");
    check(groups.filter((other) => other.name === group.name).length === 1, "groups", "a name is used twice");
  }
  for (const { name, sensitive, coding } of questions) {
    check(!sensitive || grouped.has(name), `question "${name}"`, "it is sensitive and in no group");
    check(sensitive || coding.scheme === "plain", `question "${name}"`, "it is not disguised");
  }
}

/** @type {(question: Question, group: Group) => void} */
function checkMember({ name, sensitive, coding }, { channel }) {
  check(sensitive, `question "${name}"`, "it is not sensitive, yet in a group");
  const fits = (coding.scheme === "plain") === (channel === "uniform");
  check(fits, `question "${name}", coding`, "it does not go with the channel");
}

/** @type {(numbers: readonly number[]) => boolean} */
function ascending(numbers) {
  return numbers.every((number, index) => index === 0 || numbers[index - 1] < number);
}

/** @type {(first: readonly unknown[], second: readonly unknown[]) => boolean} */
function same(first, second) {
  return first.length === second.length && first.every((each, index) => each === second[index]);
}
