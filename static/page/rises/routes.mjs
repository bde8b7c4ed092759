/** Who is asked a question that not everybody is asked. */

const UNASKED = "not_applicable";
const EVERYBODY = [new Map()];
const givenTo = ({ values, coding }) => [...values.keys()].slice(0, coding.scheme === "routed" ? -1 : values.length);
const named = (name, all) => all.find(({ question }) => question.name === name);

/** Disjoint boxes of answers, given or drawn, to others with which a question is asked; what is drawn is never "not asked". */
export function boxesOf({ screen }, all) {
  const boxes = (screen?.ask_if ?? []).reduce((found, [name, values]) => crossed(found, having(named(name, all), values, all)), EVERYBODY);
  return boxes.filter((box) => [...box.values()].every(({ length }) => length));
}

/** Those with which a question has one of these values. */
function having(asked, wanted, all) {
  const { name, values, coding } = asked.question;
  const given = givenTo(asked.question);
  const inside = [new Map([[name, given.filter((at) => wanted.includes(values[at]))]])];
  if (coding.scheme !== "routed") return inside;
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
