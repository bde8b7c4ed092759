/** The rise of an answer's chance by a whole response. */

import { EXTRAS } from "../words.mjs";

const add = (parts) => parts.reduce((total, part) => total + part, 0);

/** The chance of a value before, and the largest after: a bound unless all codes go together. */
export const riseAmong = (all, routes) => (asked, value) => {
  const { name, values } = asked.question;
  const family = familyOf(asked, all);
  const unasked = values[value] === EXTRAS[2];
  const boxes = (asked.screen?.ask_if ? routes.boxesOf(asked, all) : [[]]).map((box) => new Map(unasked ? box : [...box, [name, [value]]]));
  const share = ({ question }, some) => (some ? add(some.map((one) => sharesOf(question)[one])) : 1);
  const met = add(boxes.map((box) => all.reduce((total, each) => total * share(each, box.get(each.question.name)), 1)));
  const before = unasked ? 1 - met : met;
  if (family.every(isFree)) return [before, surest(boxes, all, routes)];
  return [before, routes && !family.some(isTied) ? routes.bound(asked, value, before, family) : 1];
};

/** Those connected by coins, screens and conditions. */
function familyOf(asked, all) {
  const names = ({ screen, question, home }) => [question.name, ...(home?.questions ?? []), ...(isTied({ screen, question }) || screen?.ask_if ? screen.questions : []), ...(screen?.ask_if ?? []).map(([name]) => name)];
  let found = [asked];
  for (let size = 0; size < found.length; ) {
    size = found.length;
    found = all.filter((each) => names(each).some((name) => found.some((one) => names(one).includes(name))));
  }
  return found;
}

const isTied = ({ screen, question: { values } }) =>
  screen?.kind === "multiple" && screen.questions.length > 1 && (screen.least || screen.most || values.some((each) => EXTRAS.slice(0, 2).includes(each)));

/** Whether its codes go with any others. */
const isFree = (asked) => !isTied(asked) && (!asked.screen?.ask_if || asked.question.coding.scheme === "routed");

/** The largest chance of boxes together: only the coin of a group ties its answers. */
function surest(boxes, all, routes) {
  const best = routes?.highest ?? ((every) => [[Math.max(...every.flat())]]);
  const homeOf = ({ home, question }) => home ?? question;
  const most = [...new Set(all.map(homeOf))].reduce((totals, home) => {
    const members = all.filter((each) => homeOf(each) === home);
    const held = members.filter(({ question }) => boxes.some((box) => box.has(question.name)));
    if (!held.length) return totals;
    const [kept, of] = members[0].group?.truth ?? [1, 1];
    let ways = [boxes.map(() => [kept, of - kept, kept, of - kept])];
    for (const each of held) {
      const rows = boxes.map((box) => rowsOf(each, box.get(each.question.name)));
      ways = ways.flatMap((way) => rows[0].map((_, code) => way.map((parts, at) => parts.map((part, side) => part * rows[at][code][side]))));
    }
    const others = members.filter((each) => !held.includes(each)).map((each) => rowsOf(each).map(([, , own, other]) => other / own));
    const share = ([one, two, three, four], ratio) => (Number.isFinite(ratio) ? (one + ratio * two) / (three + ratio * four) : two / four) || 0;
    const ends = [Math.min, Math.max].map((end) => others.reduce((total, each) => total * end(...each.filter((ratio) => ratio >= 0)), 1));
    const found = best(ways.flatMap((way) => ends.map((ratio) => way.map((parts) => share(parts, ratio)))));
    return best(totals.flatMap((total) => found.map((each) => total.map((one, at) => one * each[at]))));
  }, [boxes.map(() => 1)]);
  return Math.max(...most.map(add));
}

/** How frequent values are where it is asked. */
function sharesOf({ prior, values }) {
  const shares = prior.filter((_, at) => values[at] !== EXTRAS[2]).map(([part, whole]) => part / whole);
  return shares.map((share) => share / add(shares));
}

/** Chances of each code with some values, and in all, on both sides of the coin. */
function rowsOf({ question, straight, swapped }, values) {
  const shares = sharesOf(question);
  const every = [...shares.keys()];
  const mean = (row, some) => add(some.map((value) => shares[value] * Number(row[value])));
  return straight.map((row, at) => [values ?? every, every].flatMap((some) => [mean(row, some), mean(swapped[at], some)]));
}
