/** Who is asked a question that not everybody is asked. */

import { totalRatio } from "../odds.mjs";
import { EXTRAS } from "../words.mjs";

const UNASKED = EXTRAS[2];
const EVERYBODY = [new Map()];
const givenTo = ({ values }) => [...values.keys()].filter((at) => values[at] !== UNASKED);
const named = (name, all) => all.find(({ question }) => question.name === name);

/** Disjoint boxes of answers, given or drawn, to others with which a question is asked; what is drawn is never "not asked". */
export function boxesOf({ screen }, all) {
  const boxes = (screen?.ask_if ?? []).reduce((found, [name, values]) => crossed(found, having(named(name, all), values, all)), EVERYBODY);
  return boxes.filter((box) => [...box.values()].every(({ length }) => length));
}

/** Those with which a question has one of these values. */
function having(asked, wanted, all) {
  const { name, values } = asked.question;
  const given = givenTo(asked.question);
  const inside = [new Map([[name, given.filter((at) => wanted.includes(values[at]))]])];
  if (!values.includes(UNASKED)) return inside;
  const boxes = boxesOf(asked, all);
  if (!wanted.includes(UNASKED)) return crossed(boxes, inside);
  const others = [new Map([[name, given.filter((at) => !wanted.includes(values[at]))]])];
  return [...inside, ...boxes.reduce((found, box) => found.flatMap((each) => outside(each, box, all)), others)];
}

/** The part of a box that is outside another, in disjoint boxes. */
function outside(box, other, all) {
  return [...other].map(([name, values]) => {
    const own = box.get(name) ?? givenTo(named(name, all).question);
    const part = new Map([...box, [name, own.filter((value) => !values.includes(value))]]);
    box = new Map([...box, [name, own.filter((value) => values.includes(value))]]);
    return part;
  });
}

const crossed = (some, others) =>
  some.flatMap((one) => others.map((other) => new Map([...one, ...[...other].map(([name, values]) => [name, values.filter((value) => one.get(name)?.includes(value) ?? true)])])));

/** Those chances of boxes that no others exceed in every box. */
export function highest(every) {
  if (every[0].length < 2) return [[Math.max(...every.flat())]];
  const above = (one, other) => one.every((chance, at) => chance >= other[at]);
  return every.filter((one, at) => !every.some((other, place) => above(other, one) && (place < at || !above(one, other))));
}

/** A bound of the chance of a value after a response, from the largest ratio of chances; answers sent as they are are known. */
export function bound({ question: { values, prior }, screen }, value, before, family) {
  const open = family.filter(({ group }) => !group);
  if (open.some((each) => each.screen?.ask_if)) return 1;
  const unasked = values[value] === UNASKED;
  if (unasked && screen.ask_if.every(([gate]) => named(gate, open))) return before; // known from these alone
  const [share, left] = [value, values.indexOf(UNASKED)].map((at) => (prior[at] ?? [0, 1]).reduce((part, whole) => part / whole));
  const most = open.length ? (unasked ? 1 : share / (1 - left)) : before;
  const ratio = totalRatio(family.filter(({ group }) => group));
  return ratio ? (most * ratio) / (1 - most + most * ratio) : 1;
}
