/** The button that does what the remedy of a remark says, where that leaves no doubt, with its price next to it. */

import { button, made } from "../parts.mjs";
import { laterOf } from "./later.mjs";

/** @typedef {import("../state.d.ts").Lint} Lint */
/** @typedef {import("../state.d.ts").State} State */

/** @param {State} state @param {Lint} lint @param {string} id @param {(mend: {id: string, label: string}) => void} show - Shows what it changes. @returns {Node | null} */
export function pricedRemedy(state, { mend }, id, show) {
  if (!mend) return null;
  const price = made("span", { className: "quiet", id: `${id}.price` });
  const found = () => laterOf(`price?mend=${mend.id}`, "", price.id, state, fill);
  const fill = () => {
    const there = document.getElementById(price.id);
    if (there) there.textContent = wordsOf(found());
  };
  price.textContent = wordsOf(found());
  return made("span", { className: "row", id: `${id}.row` }, button(id, `${mend.label}…`, () => show(mend), { "aria-describedby": price.id }), price);
}

/** @param {string | null | undefined} words */
const wordsOf = (words) => (words ? `Price: ${words}.` : words === null ? "Its price is shown before it is applied." : "Price: …");
