/** How far a whole response may raise the chance of an answer that others tell of. */

import { totalRatio } from "./odds.mjs";
import { EXTRAS, owners } from "./words.mjs";

/** The chance of a value before a response, and the largest after; a bound unless any codes may be sent together. */
export const riseAmong = (all) => (asked, value) => {
  const { name, coding } = asked.question;
  const family = familyOf(asked, all);
  const event = new Map([...(coding.scheme === "routed" ? needs(asked, all) : []), [name, [value]]]);
  const before = [...event].reduce((total, [each, values]) => {
    const shares = sharesOf(all.find(({ question }) => question.name === each).question);
    return total * values.reduce((sum, one) => sum + (shares[one] ?? 0), 0);
  }, 1);
  if (family.every(isFree)) return [before, surest(event, all)];
  const ratio = family.some(isTied) ? 0 : totalRatio(family); // what a tied screen allows is not reckoned with here
  return [before, ratio ? (before * ratio) / (1 - before + before * ratio) : 1];
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

/** Whether its codes may be sent with any others. */
const isFree = (asked) => !isTied(asked) && (!asked.screen?.ask_if || asked.question.coding.scheme === "routed");

/** Which answers to others a question needs. */
function needs({ screen }, all) {
  const found = new Map();
  for (const [name, values] of screen?.ask_if ?? []) {
    const parent = all.find((each) => each.question.name === name);
    const own = values.map((value) => parent.question.values.indexOf(value));
    for (const [each, some] of [...needs(parent, all), [name, own]]) found.set(each, some.filter((value) => found.get(each)?.includes(value) ?? true));
  }
  return found;
}

/** The largest chance of an event after a response: answers are independent but for the coin of their group. */
function surest(event, all) {
  const homeOf = ({ home, question }) => home ?? question;
  return [...new Set(all.map(homeOf))].reduce((total, home) => {
    const members = all.filter((each) => homeOf(each) === home);
    const held = members.filter(({ question }) => event.has(question.name));
    if (!held.length) return total;
    const [kept, of] = members[0].group?.truth ?? [1, 1];
    let ways = [[kept, of - kept, kept, of - kept]];
    for (const each of held) ways = ways.flatMap((way) => rowsOf(each, event.get(each.question.name)).map((row) => row.map((part, at) => part * way[at])));
    const others = members.filter((each) => !held.includes(each)).map((each) => rowsOf(each, []).map(([, , own, other]) => other / own));
    const share = ([one, two, three, four], ratio) => (Number.isFinite(ratio) ? (one + ratio * two) / (three + ratio * four) : two / four) || 0;
    const ends = [Math.min, Math.max].map((end) => others.reduce((product, each) => product * end(...each.filter((ratio) => !Number.isNaN(ratio))), 1));
    return total * Math.max(...ways.flatMap((way) => ends.map((ratio) => share(way, ratio))));
  }, 1);
}

/** How frequent values are where it is asked. */
function sharesOf({ prior, coding }) {
  const shares = prior.map(([part, whole]) => part / whole).slice(0, owners(coding).length);
  return shares.map((share) => share / shares.reduce((total, each) => total + each));
}

/** For each code its chance with some values, and in all, under both sides of the coin. */
function rowsOf({ question, straight, swapped }, values) {
  const shares = sharesOf(question);
  const mean = (row, some) => some.reduce((total, value) => total + shares[value] * Number(row[value]), 0);
  return straight.map((row, at) => [values, [...shares.keys()]].flatMap((some) => [mean(row, some), mean(swapped[at], some)]));
}
