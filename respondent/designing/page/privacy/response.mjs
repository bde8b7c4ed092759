/** What a whole response may tell: presets of one limit for all answers of a person, each with what it means. */

import { at } from "../controls.mjs";
import { button, made } from "../parts.mjs";
import { laterOf } from "./later.mjs";

/** @typedef {import("../state.d.ts").Edit} Edit */
/** @typedef {import("../state.d.ts").Fewer} Fewer */
/** @typedef {import("../state.d.ts").Shown} Shown */
/** @typedef {import("../state.d.ts").WholeOffer} WholeOffer */

const ID = "whole.strength";
const LEAD =
  "Choose this first: how much may all answers of one person tell together? Begin with Balanced. Choose a stronger preset if an answer could harm somebody, and a lighter one only if you cannot reach enough people.";
const GROUPED = " Now each group has a strength of its own; a preset here takes the place of all of them.";

/** The choice; none where a central epsilon decides. @param {Shown} shown @param {() => void} redraw @returns {Node[]} */
export function presetsOfResponse(shown, redraw) {
  const { document } = shown.state;
  if (at(document, ["privacy", "central_epsilon"]) !== undefined) return [];
  const offers = /** @type {WholeOffer[]} */ (laterOf("whole?", "", ID, shown.state, redraw) ?? []);
  const given = at(document, ["privacy", "epsilon"]);
  const now = given === undefined ? null : Number(given);
  const presets = shown.state.presets.filter(({ epsilon }) => epsilon !== null);
  const choices = presets.map(({ name, title, epsilon, use }) => {
    const offer = offers.find((each) => each.name === name);
    const control = made("input", {
      id: `${ID}.${name}`,
      type: "radio",
      name: ID,
      checked: now === epsilon,
      "aria-describedby": `${ID}.${name}.means`,
      onchange: () => shown.edit([{ op: "preset", path: ["privacy"], value: name }], `Saved: the privacy of the whole response is ${title}, epsilon ${epsilon}.`),
    });
    return made(
      "div",
      { className: "field flag", id: `${ID}.${name}.field` },
      control,
      made("label", { htmlFor: control.id }, `${title}, epsilon ${epsilon}: ${use}`),
      made("p", { className: "quiet", id: `${ID}.${name}.means` }, offer?.problem ?? offer?.words.join(" ") ?? "…"),
      offer?.fewer ? fewerOf(`${ID}.${name}.fewer`, offer, offer.fewer, now === epsilon, shown) : null,
    );
  });
  const isPreset = presets.some(({ epsilon }) => epsilon === now);
  return [
    made(
      "fieldset",
      { id: ID, className: "presets" },
      made("legend", {}, "What a whole response may tell"),
      made("p", { className: "quiet", id: `${ID}.lead` }, now === null && document.groups !== undefined ? LEAD + GROUPED : LEAD),
      ...choices,
      now === null || isPreset ? null : made("p", { id: `${ID}.now` }, `Now: epsilon ${now}, which is none of the presets.`),
    ),
  ];
}

/** The number of questions that takes the fewest people, and the button that asks so many. @param {string} id @param {WholeOffer} offer @param {Fewer} fewer @param {boolean} isNow @param {Shown} shown */
function fewerOf(id, offer, fewer, isNow, shown) {
  const edits = isNow ? fewer.edits : [/** @type {Edit} */ ({ op: "preset", path: ["privacy"], value: offer.name }), ...fewer.edits];
  const words = isNow ? `Ask each person ${fewer.ask}` : `Choose ${offer.title}, and ask each person ${fewer.ask}`;
  const said = `Saved: ${isNow ? "" : `the privacy of the whole response is ${offer.title}, and `}each person is asked ${fewer.ask} of the ${fewer.questions} questions.`;
  return made("p", { id, className: "row" }, made("span", { id: `${id}.words` }, fewer.words), button(`${id}.take`, words, () => shown.edit(edits, said), { className: "plain", "aria-describedby": `${id}.words` }));
}
