/** Presets of privacy in words, each with what it means: at a question, at a group, and at one epsilon for a whole response. */

import { at, isTable } from "../controls.mjs";
import { figuresOf } from "../cost.mjs";
import { made } from "../parts.mjs";
import { laterOf } from "./later.mjs";

/** @typedef {import("../state.d.ts").Offer} Offer */
/** @typedef {import("../state.d.ts").Offers} Offers */
/** @typedef {import("../state.d.ts").QuestionFigures} QuestionFigures */
/** @typedef {import("../state.d.ts").Shown} Shown */
/** @typedef {import("../state.d.ts").Table} Table */

/** The presets that a single answer can have, the most private first. @param {Shown} shown */
export const presetsOfAnswers = (shown) => shown.state.presets.filter(({ answer }) => answer);
const BETWEEN = "◐";
const ALONE =
  "Each choice says what the collector may believe after this answer arrives, and how many people it takes. What all answers of one person tell is said below, under “All answers of one person together”.";

/** @param {Shown} shown @returns {Table[]} */
const tablesOf = (shown) => /** @type {Table[]} */ (at(shown.state.document, ["questions"]) ?? []);

/** What the presets would mean; undefined until it is known. @param {string} id - Of the choice that shows it. @param {number} index @param {Shown} shown @param {() => void} redraw @returns {Offers | null | undefined} */
function offersOf(id, index, shown, redraw) {
  if (!shown.state.survey) return null;
  return laterOf(`presets?question=${index}${id === "strength" ? "" : "&group="}`, String(tablesOf(shown)[index]?.name), id, shown.state, redraw);
}

/** The figures of a question of the file: of those it becomes, the one of which a response tells most. @param {Table} question @param {Shown} shown @returns {QuestionFigures | undefined} */
export const mostTold = (question, shown) => figuresOf(question, shown).toSorted((one, other) => other.belief - one.belief)[0];

/** What the list shows of a question's privacy. @param {Table} question @param {Shown} shown */
export function markOf(question, shown) {
  const found = mostTold(question, shown);
  if (!found?.level) return null;
  const mark = shown.state.presets.find(({ name }) => name === found.preset)?.mark ?? BETWEEN;
  return made(
    "span",
    { className: "quiet dots", title: `Privacy: ${found.level}` },
    made("span", { "aria-hidden": "true" }, mark),
    made("span", { className: "hidden" }, `privacy ${found.level}`),
  );
}

/** Give a question a preset. @param {number} index @param {string} name @param {Shown} shown */
export function choosePreset(index, name, shown) {
  const title = shown.state.presets.find((each) => each.name === name)?.title;
  shown.edit([{ op: "preset", path: ["questions", index], value: name }], `Saved: the privacy of question ${index + 1} is ${title}.`);
}

/**
 * The presets as a choice.
 *
 * @param {string} id
 * @param {string} legend
 * @param {number} index - Of the question.
 * @param {Shown} shown
 * @param {Offer[]} offers - What each would mean, as far as it is known.
 * @param {string[]} names - Of the presets that are offered.
 */
function choiceOf(id, legend, index, shown, offers, names) {
  const question = tablesOf(shown)[index] ?? {};
  const now = mostTold(question, shown);
  const choices = presetsOfAnswers(shown).filter(({ name }) => names.includes(name)).map(({ name, title, mark }) => {
    const offer = offers.find((each) => each.name === name);
    const isNow = now?.preset === name;
    const words = isNow && now ? [now.meaning.belief, now.meaning.cost] : offer ? [offer.belief, offer.cost] : [];
    const control = made("input", {
      id: `${id}.${name}`,
      type: "radio",
      name: id,
      checked: isNow,
      "aria-describedby": `${id}.${name}.means`,
      onchange: () => choosePreset(index, name, shown),
    });
    return made(
      "div",
      { className: "field flag", id: `${id}.${name}.field` },
      control,
      made("label", { htmlFor: control.id }, `${title} `, made("span", { className: "quiet", "aria-hidden": "true" }, mark)),
      made("p", { className: "quiet", id: `${id}.${name}.means` }, offer?.problem ?? words.filter(Boolean).join(" ")),
    );
  });
  const lead = made("p", { className: "quiet", id: `${id}.lead` }, id === "strength" ? ALONE : `What the answer to ${String(question.name)} tells once it arrives, and how many people each choice takes:`);
  return made("fieldset", { id, className: "presets" }, made("legend", {}, legend), lead, ...choices);
}

/** What holds now, where it is none of the presets. @param {string} id @param {QuestionFigures | undefined} now */
function between(id, now) {
  if (!now || now.preset) return null;
  return made("p", { id: `${id}.now` }, made("b", {}, now.level ? `Now: ${now.level}. ` : "Now: "), "This answer. ", now.meaning.belief, " ", now.meaning.cost);
}

/**
 * The presets of a question in its form.
 *
 * @param {number} index
 * @param {Shown} shown
 * @param {() => void} redraw
 * @returns {Node[]}
 */
export function presetsOf(index, shown, redraw) {
  const { document } = shown.state;
  const question = tablesOf(shown)[index] ?? {};
  const offers = offersOf("strength", index, shown, redraw);
  const now = mostTold(question, shown);
  const isWhole = isTable(document.privacy);
  const names = isCentral(shown) ? ["open"] : presetsOfAnswers(shown).map(({ name }) => name);
  return [
    choiceOf("strength", "Privacy of this answer", index, shown, offers?.presets ?? [], names),
    between("strength", now),
    offers?.doubled ? made("p", { id: "strength.doubled" }, offers.doubled) : null,
    now?.meaning.card ? made("p", { id: "strength.card" }, now.meaning.card) : null,
    made("p", { className: "quiet", id: "strength.shared" }, sharedBy(question, shown, isWhole)),
  ].filter((each) => each instanceof Node);
}

/** Whether a central epsilon decides how answers are disguised. @param {Shown} shown */
const isCentral = (shown) => at(shown.state.document, ["privacy", "central_epsilon"]) !== undefined;

/** For which other questions a preset holds, too. @param {Table} question @param {Shown} shown @param {boolean} isWhole */
function sharedBy(question, shown, isWhole) {
  if (isCentral(shown)) return "The central epsilon under Privacy decides how answers are disguised.";
  if (isWhole) return "One epsilon covers the whole response: Strong, Balanced and Light change it for all questions. Open sends this answer alone as it is.";
  const others = tablesOf(shown).filter((each) => each !== question && question.group !== undefined && each.group === question.group);
  if (!others.length) return "Open sends the answer as it is: everybody who has the responses can read it.";
  return `This changes ${others.map((each) => String(each.name)).join(", ")}, too: they share the group ${question.group}. Open takes this question out of it.`;
}

/** The presets of a group, or of a whole response, on the tab of privacy; none without a question. @param {string} id @param {string} legend @param {number} index - Of a question that has it. @param {Shown} shown @param {() => void} redraw @returns {Node[]} */
export function presetsOfGroup(id, legend, index, shown, redraw) {
  const question = tablesOf(shown)[index];
  if (!question || isCentral(shown)) return [];
  const now = mostTold(question, shown);
  return [
    choiceOf(id, legend, index, shown, offersOf(id, index, shown, redraw)?.presets ?? [], ["strong", "balanced", "light"]),
    between(id, now),
  ].filter((each) => each instanceof Node);
}

/** All that these presets depend on. @param {string} id @param {number} index - Of a question that has it. @param {Shown} shown @param {() => void} redraw */
export function sourceOfPresets(id, index, shown, redraw) {
  const question = tablesOf(shown)[index];
  return question && [question.name, isCentral(shown), mostTold(question, shown), offersOf(id, index, shown, redraw)];
}
