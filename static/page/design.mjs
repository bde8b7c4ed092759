// @ts-check
/**
 * Reading a published design: all that decides what is sent is checked by the rules of collector/survey/design.py, which names
 * the same places (tests/vectors/designs.json). Texts and priors are the collector's to check.
 */

import { divisor, sharpness } from "../disguise/sampling.mjs";
import { Fields, check } from "./fields.mjs";

/**
 * @typedef {import("../design").Coding} Coding
 * @typedef {import("../design").Design} Design
 * @typedef {import("../design").Group} Group
 * @typedef {import("../design").Question} Question
 * @typedef {import("../design").Sampling} Sampling
 */

const FORMAT = 1;
const WORD = 2 ** 32;
const LARGEST_CODE = 2 ** 15 - 1;
const MOST_VALUES = 256;
const KINDS = ["yes_no", "choice", "scale", "number"];
const SHARED = ["projective", "subsets", "cyclotomic", "thresholds"];
const NAME = /^[a-z][a-z0-9_]{0,62}$/;
const RESERVED = ["id", "and", "in"];
const PREVIEWS = ["before", "after", "off"];

/** Read what `JSON.parse` made of a published design, or throw a `DesignError`. @type {(design: unknown) => Design} */
export function readDesign(design) {
  const fields = new Fields(design, "design");
  const read = fields.read({
    ...{ format: "integer", name: "text", title: "table", languages: "text[]", preview: "text", study: "table?" },
    ...{ questions: "list", groups: "list", target: "text?", sampling: "table?" },
  });
  check(read.format === FORMAT, "design, format");
  const questions = fields.tables("questions", read.questions).map(readQuestion);
  const groups = fields.tables("groups", read.groups).map(readGroup);
  const names = questions.map(({ name }) => name);
  const sampling = read.sampling && readSampling(new Fields(read.sampling, "sampling"), names);
  checkName(read.name, "name");
  check(PREVIEWS.includes(read.preview), "preview");
  check(names.length > 0, "questions");
  names.forEach((each, index) => check(names.indexOf(each) === index, `question "${each}"`));
  checkGroups(questions, groups, sampling);
  check(read.target === null || names.includes(read.target), "mining, target");
  return { name: read.name, questions, groups, sampling };
}

/** @type {(fields: Fields, names: readonly string[]) => Sampling} */
function readSampling(fields, names) {
  const { ask, always } = fields.read({ ask: "integer", always: "text[]" });
  check(same(always, names.filter((name) => always.includes(name))), fields.within("always"));
  check(always.length < ask && ask <= names.length, fields.within("ask"));
  return { ask, always };
}

/** @type {(fields: Fields) => Question} */
function readQuestion(fields) {
  const question = fields.read({
    ...{ name: "text", kind: "text", label: "table", hint: "table?", words: "table[]", sensitive: "boolean" },
    ...{ values: "text[]", unit: "text?", minimum: "number?", maximum: "number?", cuts: "number[]" },
    ...{ prior: "list[]", coding: "table" },
  });
  const { name, kind, values } = question;
  const place = `question "${name}"`;
  question.coding = readCoding(new Fields(question.coding, fields.within("coding")));
  checkName(name, place);
  check(KINDS.includes(kind), `${place}, kind`);
  checkNumbers(question, place);
  const expected = kind !== "yes_no" || same(values, ["yes", "no"]);
  check(values.length > 1 && values.length <= MOST_VALUES && distinct(values) && expected, `${place}, values`);
  check(question.coding.draws.length === values.length, `${place}, coding`);
  return question;
}

/** @type {(question: Question, place: string) => void} */
function checkNumbers({ kind, values, unit, minimum, maximum, cuts }, place) {
  if (kind === "number") {
    check(cuts.length > 0 && cuts.length === values.length - 1 && ascending(cuts), `${place}, cuts`);
    check(minimum === null || minimum < cuts[0], `${place}, minimum`);
    check(maximum === null || maximum >= cuts[cuts.length - 1], `${place}, maximum`);
  } else {
    check(cuts.length === 0 && unit === null && minimum === null && maximum === null, place);
  }
}

/** @type {(fields: Fields) => Coding} */
function readCoding(fields) {
  const coding = fields.read({
    ...{ scheme: "text", codes: "integer[]", complements: "integer[]?", draws: "list[]", replacement: "integer[]?" },
  });
  check(coding.draws.flat().every(Array.isArray), fields.within("draws"));
  coding.draws = coding.draws.map((/** @type {any[]} */ each) => each.map((draw) => fields.pair(draw)));
  const isSound = coding.scheme === "plain" ? isPlain : SHARED.includes(coding.scheme) ? isShared : isPaired;
  check(hasDraws(coding) && isSound(coding), fields.place);
  return coding;
}

/** Every value has codes, with weights that one word can draw. @type {(coding: Coding) => boolean} */
function hasDraws({ codes, draws }) {
  return (
    codes.length > 0 && codes[0] >= 0 && ascending(codes) && codes[codes.length - 1] <= LARGEST_CODE &&
    draws.length > 1 && draws.flat().every(([code, weight]) => weight > 0 && codes.includes(code)) &&
    draws.every((each) => each.length > 0 && sum(each.map(([, weight]) => weight)) <= WORD)
  );
}

/** The values are numbered from 0; a lie may be any, or is weighed. @type {(coding: Coding) => boolean} */
function isPlain({ codes, complements, draws, replacement }) {
  const numbered = draws.every((each, value) => each.length === 1 && each[0][0] === value && codes[value] === value);
  const weights = replacement ?? [0, ...codes.slice(1).fill(1)]; // in lowest terms, and not all alike
  const weighed = weights.length === codes.length && weights.every((weight) => weight >= 0) && sum(weights) <= WORD;
  const lowest = weights.reduce(divisor, 0) === 1 && !weights.every((weight) => weight === weights[0]);
  return numbered && codes.length === draws.length && complements === null && weighed && lowest;
}

/** The values have equally many codes, but not all, and each code is as likely. @type {(coding: Coding) => boolean} */
function isShared({ codes, complements, draws, replacement }) {
  const even = draws.every((each) => each.length === draws[0].length && distinct(each.map(([code]) => code)));
  const numbered = codes.every((code, index) => code === index) && draws[0].length < codes.length;
  return even && numbered && complements === replacement && draws.flat().every(([, weight]) => weight === 1);
}

/** A complement flips all bits of its code, and no code stands for two values. @type {(coding: Coding) => boolean} */
function isPaired({ scheme, codes, complements, draws, replacement }) {
  const mask = codes[codes.length - 1];
  const partners = codes.map((code) => mask - code); // all bits flipped, as the mask is all ones
  const flips = /^1+$/.test(mask.toString(2)) && same(complements ?? [], partners);
  const closed = partners.every((code) => codes.includes(code)) && distinct(draws.flat().map(([code]) => code));
  return flips && closed && replacement === null && ["szucs", "balanced"].includes(scheme);
}

/** @type {(name: string, place: string) => void} */
function checkName(name, place) {
  check(NAME.test(name) && !RESERVED.includes(name), place);
}

/** @type {(fields: Fields) => Group} */
function readGroup(fields) {
  const group = fields.read({ name: "text", channel: "text", truth: "list?", odds: "list?", questions: "text[]" });
  const { channel, truth, odds } = group;
  check((truth === null) !== (odds === null), fields.place);
  const [numerator, denominator] = fields.fraction(truth ?? odds);
  check(["complement", "uniform"].includes(channel), fields.within("channel"));
  const silent = channel === "complement" ? numerator * 2 === denominator : numerator === 0; // it would say nothing
  const drawable = numerator >= 0 && numerator <= denominator && denominator <= WORD;
  check(odds || (drawable && !silent), fields.within("truth"));
  check(truth || channel === "uniform", fields.place);
  check(truth || numerator > 0, fields.within("odds"));
  return group;
}

/** @type {(questions: readonly Question[], groups: readonly Group[], sampling: Sampling | null) => void} */
function checkGroups(questions, groups, sampling) {
  const grouped = groups.flatMap((group) => group.questions);
  for (const group of groups) {
    const place = `group "${group.name}"`;
    const members = questions.filter(({ name }) => group.questions.includes(name));
    checkName(group.name, place);
    check(members.length > 0 && same(group.questions, members.map(({ name }) => name)), place);
    for (const member of members) checkMember(member, group);
    checkSampled(group, members, sampling, place);
  }
  check(distinct(groups.map(({ name }) => name)), "groups");
  for (const { name, sensitive, coding } of questions) {
    const homes = grouped.filter((each) => each === name).length;
    check(sensitive ? homes === 1 : coding.scheme === "plain" && !coding.replacement, `question "${name}"`);
  }
}

/** @type {(question: Question, group: Group) => void} */
function checkMember({ name, sensitive, coding }, { channel, questions }) {
  const place = `question "${name}"`;
  check(sensitive, place);
  check((coding.complements === null) === (channel === "uniform"), `${place}, coding`);
  check(questions.length === 1 || !coding.replacement, `${place}, replacement`);
}

/**
 * A uniform group has odds where some but not all of it may be asked, and only there; its coin is one that a word can draw.
 *
 * @type {(group: Group, members: readonly Question[], sampling: Sampling | null, place: string) => void}
 */
function checkSampled({ channel, odds }, members, sampling, place) {
  const drawn = sampling ? members.filter(({ name }) => !sampling.always.includes(name)) : [];
  check(channel !== "uniform" || (members.length > 1 && drawn.length > 0) === Boolean(odds), place);
  if (!odds || !sampling) return;
  const most = (/** @type {0 | 1} */ part) => {
    const sizes = drawn.map(({ coding }) => sharpness(coding)[part]).sort((a, b) => b - a);
    const left = sizes.slice(sampling.ask - sampling.always.length); // of what is asked at most
    return members.reduce((all, { coding }) => all * sharpness(coding)[part], 1) / left.reduce((a, b) => a * b, 1);
  };
  check(odds[0] * most(1) + odds[1] * most(0) <= WORD, `${place}, odds`);
}

/** @type {(all: readonly unknown[]) => boolean} */
const distinct = (all) => new Set(all).size === all.length;

/** @type {(numbers: readonly number[]) => number} */
const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

/** @type {(numbers: readonly number[]) => boolean} */
const ascending = (numbers) => numbers.every((number, index) => index === 0 || numbers[index - 1] < number);

/** @type {(first: readonly unknown[], second: readonly unknown[]) => boolean} */
const same = (first, second) => first.length === second.length && first.every((each, index) => each === second[index]);
