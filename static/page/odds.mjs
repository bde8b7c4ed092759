/**
 * The odds in words: of 100 people who give an answer, what is sent for how many. No share is rounded to none or to all.
 * The Python twin is tests/support/told_odds.py; tests/vectors/odds.json ties the two.
 */

import { divisor, sharpness } from "../disguise/coding.mjs";
import { fill } from "./questions.mjs";
import { EXTRAS, owners } from "./words.mjs";

/* A question comes with its group as `home` (and as `group`, where that disguises it), and how often each code is `sent` out of `of`. */

const PEOPLE = 100n;
const sum = (numbers) => numbers.reduce((total, each) => total + each, 0n);
/** The least common multiple. */
const multiple = (numbers) => numbers.reduce((all, each) => (all / divisor(all, each)) * each, 1n);

/** Each question that is asked, with its chances. */
export function askedOf({ questions, groups, screens = [] }, words, numberOf = (name) => questions.findIndex((each) => each.name === name) + 1) {
  return questions.map((question) => {
    const home = groups.find((each) => each.questions.includes(question.name));
    const group = home?.truth && home.truth[0] < home.truth[1] ? home : null;
    const together = group?.questions.map(numberOf) ?? [];
    const screen = screens.find((each) => each.questions.includes(question.name));
    return { question, number: numberOf(question.name), home, group, together, screen, words: words(question), ...chances(question, group) };
  });
}

/** P(code sent | value): the coin, and what is sent where it says so. */
function chances({ coding: { codes, complements, draws, replacement } }, group) {
  const totals = draws.map((each) => sum(each.map(([, weight]) => BigInt(weight))));
  const over = multiple(totals);
  const truth = codes.map(() => draws.map(() => 0n));
  const place = new Map(codes.map((code, at) => [code, at]));
  draws.forEach((each, value) => {
    for (const [code, weight] of each) truth[place.get(code) ?? 0][value] += BigInt(weight) * (over / totals[value]);
  });
  const [kept, all] = (group?.truth ?? [1, 1]).map(BigInt);
  const weights = codes.map((_, at) => BigInt(replacement?.[at] ?? 1));
  const scale = complements ? 1n : sum(weights);
  const straight = truth.map((row) => row.map((own) => scale * own));
  const swapped = truth.map((row, at) => {
    const partner = complements && truth[place.get(complements[at]) ?? 0];
    return row.map((_, value) => (partner ? partner[value] : weights[at] * over));
  });
  const sent = straight.map((row, at) => row.map((own, value) => kept * own + (all - kept) * swapped[at][value]));
  return { straight, swapped, sent, of: all * scale * over };
}

/** A share as people out of 100. */
function people(part, of, texts) {
  const count = (Number(part) / Number(of)) * 100;
  const number = Math.round(count);
  if (Math.abs(count - number) < 1e-9) return String(number);
  return count < 1 ? texts.fewer : count > 99 ? texts.over : fill(texts.about, { number });
}

function listed(parts, texts) {
  const first = parts.slice(0, -1).join(texts.comma);
  return first ? fill(texts.and, { first, last: parts[parts.length - 1] }) : String(parts[0] ?? "");
}

/** Whether a code may stand for several values. */
const isShared = (question) => question.coding.codes.some((_, at) => meantBy(question, at)[1]);

/** The values that a code stands for. */
const meantBy = ({ coding }, at) =>
  owners(coding).flatMap((each, value) => (each.some(([code]) => code === coding.codes[at]) ? value : []));

/** How often each value is sent for one; a code that stands for none is sent for one value only. */
function sentFor({ question, sent }, value) {
  const shares = question.values.map(() => 0n);
  sent.forEach((row, at) => {
    if (row[value]) shares[meantBy(question, at)[0] ?? value] += row[value];
  });
  return shares;
}

/** What is said of a question's disguise: one short line, and the rest. */
export function toldOdds(asked, texts) {
  const { question, group, together } = asked;
  if (!group) return [texts.open];
  const sure = group.truth?.[0] === 0 ? [texts.certain] : [];
  return [...(isShared(question) ? sharedOdds : valueOdds)(asked, texts), ...sure, ...(together.length > 1 ? [coinOf(asked, texts)] : [])];
}

/** That one coin is for several questions, and what one outside fact would then tell. */
export function coinOf({ question, together }, texts) {
  const numbers = [...new Set(together)].sort((a, b) => a - b);
  const text = texts[(numbers.length > 1 ? "coin" : "coin-here") + (question.coding.complements ? "" : "-more")];
  return fill(text, { numbers: listed(numbers, texts) });
}

/** Of codes that values share: how often the answer, and any other, is among those of the code sent. */
function sharedOdds({ question, sent, of }, texts) {
  const { codes, draws, scheme } = question.coding;
  const [first, second] = draws.map((each) => sum(each.map(([code]) => sent[codes.indexOf(code)][0])));
  const text = scheme === "thresholds" ? texts.side : texts.set;
  const counts = { count: people(first, of, texts), other: people(second, of, texts) };
  return [fill(texts.right, counts), fill(text, counts)];
}

function valueOdds(asked, texts) {
  const { question, of } = asked;
  const told = question.values.map((_, value) => sentFor(asked, value));
  const lines = told.map((shares, value) => line(asked, value, shares, texts));
  const kept = told[0][0];
  const answers = owners(question.coding).map((_, value) => told[value]); // who is not asked may have no code to be sent
  if (answers.some((shares, value) => shares[value] !== kept)) return [texts.differs, ...lines];
  const even = answers.every((shares, value) => new Set(answers.flatMap((_, other) => (other === value ? [] : shares[other]))).size === 1);
  const counts = { count: people(kept, of, texts), other: people(of - kept, of, texts) };
  const changed = fill(answers.length < told.length ? texts["changed-asked"] : texts.changed, counts);
  return [changed, ...(even && answers.length > 2 ? [fill(texts.even, counts), ...lines.slice(answers.length)] : lines)];
}

/** What is sent for 100 people with one answer, that answer first. */
function line({ words, of }, value, shares, texts) {
  if (shares[value] === of) return fill(texts.sure, { answer: words[value] });
  const order = [value, ...shares.keys()].filter((each, at) => shares[each] && (at === 0 || each !== value));
  return sentence(words[value], order.map((each) => [shares[each], words[each]]), of, texts);
}

function sentence(answer, parts, of, texts) {
  const told = parts.map(([part, sent], at) => fill(sent ? (at ? texts.more : texts.first) : texts.another, { count: people(part, of, texts), sent }));
  return fill(texts.people, { answer: answer, parts: listed(told, texts) });
}

/** How often a code is sent, and for whom. */
export function toldCode({ question, group, words, sent, of }, code, texts) {
  if (!group) return texts.open;
  const at = question.coding.codes.indexOf(code);
  const [row, own] = [sent[at], meantBy(question, at)];
  const others = [...row.keys()].filter((value) => !own.includes(value));
  const alike = others.length > 1 && others.every((value) => row[value] === row[others[0]]);
  const single = own.length > 1 ? [] : alike ? own : [...row.keys()];
  const told = single.filter((value) => row[value]).map((value) => [row[value], texts["who-one"], words[value]]);
  if (own.length > 1) told.push([row[own[0]], texts["who-these"], ""]);
  if ((own.length > 1 || alike) && row[others[0]]) told.push([row[others[0]], texts["who-others"], ""]);
  const parts = told.map(([part, text, answer]) => fill(String(text), { count: people(BigInt(part), of, texts), answer: answer }));
  return parts.length ? fill(texts.code, { people: listed(parts, texts) }) : texts.never;
}

/**
 * One answer, the last that another may be sent for, of the question of which what is sent tells most; how many of 100 people it marks.
 */
export function example(all, texts, rise = alone) {
  const told = all.filter(({ question, group }) => group && !isShared(question));
  if (!told.length) return null;
  const by = (each) => (([before, after]) => after - before)(steepest(each, rise));
  const asked = told.reduce((best, each) => (by(each) > by(best) + 1e-9 ? each : best));
  const { words, number, of } = asked;
  const kept = words.map((_, each) => sentFor(asked, each)[each]);
  const value = kept.findLastIndex((each, at) => each < of && !EXTRAS.includes(asked.question.values[at]));
  if (value < 0) return null;
  const other = words.length === 2 ? words[1 - value] : "";
  const parts = [[kept[value], words[value]], [of - kept[value], other]];
  const text = `${fill(texts.example, { number })} ${sentence(words[value], parts, of, texts)}`;
  const marked = Number((2n * PEOPLE * (of - kept[value]) + of) / (2n * of));
  return { text, marked: Math.min(Math.max(marked, 1), kept[value] ? 99 : 100) };
}

/** How far what is sent may raise the chance of an answer, for who knows the design and its priors, and no more. */
export function limit(asked, texts, rise = alone) {
  const [before, after, value] = steepest(asked, rise);
  const [from, to] = [before, after].map((share) => people(share, 1, texts));
  return fill(texts.limit, { number: asked.number, answer: asked.words[value], before: from, after: to });
}

/** The largest rise of the chance of a value: before, after, and the value. */
function steepest(asked, rise) {
  const rises = owners(asked.question.coding).map((_, value) => [...rise(asked, value), value]);
  return rises.reduce((best, each) => (each[1] - each[0] > best[1] - best[0] ? each : best));
}

/** The chance of a value before its code is known, and the largest after. */
function alone({ question, sent }, value) {
  const prior = question.prior.map(([part, whole]) => part / whole);
  const after = sent.map((row) => (prior[value] * Number(row[value])) / row.reduce((total, each, at) => total + prior[at] * Number(each), 0) || 0);
  return [prior[value], Math.max(...after)];
}

/** How many times as likely all that is sent may be under one set of answers as under another; NaN if there is no bound. */
export function totalRatio(all) {
  const homes = new Set(all.filter(({ question }) => question.sensitive).map(({ home }) => home));
  return [...homes].reduce((total, home) => total * ratioOf(all.filter((each) => each.home === home)), 1);
}

function ratioOf(members) {
  const [{ group, sent, question }] = members;
  if (members.length < 2) {
    const ratios = sent.filter((row) => sum(row)).map((row) => row.map(Number).sort((a, b) => a - b));
    return group ? Math.max(...ratios.map((row) => (row[0] ? row[row.length - 1] / row[0] : NaN))) : NaN;
  }
  const [kept, all] = group?.truth ?? [1, 1];
  const sharp = members.reduce((product, each) => product * divided(sharpness(each.question.coding)), 1);
  return question.coding.complements ? NaN : 1 + (kept / (all - kept)) * sharp;
}

const divided = ([numerator, denominator]) => numerator / denominator;
