/**
 * A split questionnaire: which questions one respondent is asked. Pure: no page, no network, and chance is an argument. A
 * page loads this for a survey that is split, and no other. The Python twin of the draw is `draw_questions` in tests/support/one_respondent.py;
 * tests/vectors/sampling.json ties the two.
 */

import { sharpness } from "./coding.mjs";
import { draw } from "./coins.mjs";

/**
 * The names of the questions to ask, in survey order: those that everybody is asked, and others drawn so that each set
 * of them has the same chance. One draw for each of the others, among those that are left.
 *
 * @type {(design: Design, words: Words) => string[]}
 */
export function drawQuestions({ questions, sampling }, words) {
  const names = questions.map(({ name }) => name);
  if (!sampling) return names;
  const asked = [...sampling.always];
  const left = names.filter((name) => !asked.includes(name));
  while (asked.length < sampling.ask) asked.push(...left.splice(draw(left.length, words), 1));
  return names.filter((name) => asked.includes(name));
}

/** The design of these questions alone, with the truth probability of each group. @type {(design: Design, names: readonly string[]) => Design} */
export function partOf(design, names) {
  const questions = design.questions.filter(({ name }) => names.includes(name));
  const groups = design.groups
    .map((group) => ({ ...group, questions: group.questions.filter((name) => names.includes(name)) }))
    .filter((group) => group.questions.length > 0);
  return { ...design, questions, groups: groups.map((group) => ({ ...group, truth: truthOf(group, questions) })) };
}

/** With odds n/d and codings of the sharpness K/s in all theta is n s / (n s + d K). @type {(group: Group, questions: Design["questions"]) => readonly [number, number]} */
function truthOf({ odds, truth, questions: names }, questions) {
  if (!odds) return truth;
  const members = questions.filter(({ name }) => names.includes(name));
  const parts = members.map(({ coding }) => sharpness(coding));
  const [states, own] = parts.reduce(([all, ours], [one, its]) => [all * one, ours * its], [1, 1]);
  return [odds[0] * own, odds[0] * own + odds[1] * states];
}

/** A code for every question, null where it was not asked. @type {(design: Design, codes: Record<string, number>) => Record<string, number | null>} */
export function whole({ questions }, codes) {
  return Object.fromEntries(questions.map(({ name }) => [name, codes[name] ?? null]));
}
