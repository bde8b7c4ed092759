/** The button that does what the remedy of a remark says, where that leaves no doubt, with its price next to it. */

import { button, made } from "../parts.mjs";
import { laterOf } from "./later.mjs";

/** @typedef {import("../state.d.ts").Lint} Lint */
/** @typedef {import("../state.d.ts").State} State */

/** @typedef {{words: string, factor: number | null, label: string | null}} Price */

const DEAREST = 10; // times as many people: a remedy on the whole response that takes more is no remedy

/** @param {State} state @param {Lint} lint @param {string} id @param {(mend: {id: string, label: string}) => void} show - Shows what it changes. @returns {Node | null} */
export function pricedRemedy(state, { mend, place }, id, show) {
  if (!mend) return null;
  const price = made("span", { className: "quiet", id: `${id}.price` });
  const act = button(id, "", () => show({ ...mend, label: labelOf(found()) }), { "aria-describedby": price.id });
  const row = made("span", { className: "row", id: `${id}.row` }, act, price);
  const found = () => /** @type {Price | null | undefined} */ (laterOf(`price?mend=${mend.id}`, "", price.id, state, fill));
  const labelOf = (/** @type {Price | null | undefined} */ known) => known?.label ?? mend.label;
  const write = (/** @type {Element | null} */ there, /** @type {string} */ words) => there && (there.textContent = words);
  const fill = (/** @type {(id: string) => Element | null} */ at = (each) => document.getElementById(each)) => {
    const known = found();
    write(at(price.id), wordsOf(known));
    write(at(id), `${labelOf(known)}…`);
    if (place === "whole response") at(row.id)?.toggleAttribute("hidden", (known?.factor ?? 0) > DEAREST);
  };
  fill((each) => [price, act, row].find((one) => one.id === each) ?? null);
  return row;
}

/** @param {Price | null | undefined} price */
const wordsOf = (price) => (price ? `Price: ${price.words}.` : price === null ? "Its price is shown before it is applied." : "Price: …");
