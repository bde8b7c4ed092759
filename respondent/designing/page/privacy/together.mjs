/** What a whole response tells, all its answers taken together, with the gravest remark on it and its remedy. */

import { made } from "../parts.mjs";

/** @typedef {import("../state.d.ts").Lint} Lint */
/** @typedef {import("../state.d.ts").State} State */

/** The gravest remark on privacy, if there is one that is no note: first one on the whole response. @param {State} state @returns {Lint | undefined} */
export function gravest(state) {
  const found = state.lints.filter(({ severity, path, place }) => severity !== "note" && (place === "whole response" || path[0] === "groups" || path[0] === "privacy"));
  const worst = found.filter(({ severity }) => severity === found[0]?.severity);
  return worst.find(({ place }) => place === "whole response") ?? worst[0];
}

/** What a remark says: of the whole response, without saying so again. @param {Lint} lint */
const remarkOf = ({ place, words }) => (place === "whole response" ? words : `${place.charAt(0).toUpperCase()}${place.slice(1)}. ${words}`);

/**
 * The sentence, and the remark.
 *
 * @param {string} id
 * @param {State} state
 * @param {(lint: Lint) => Node | null} remedy - The button of a remark, where it has a remedy that leaves no doubt.
 * @returns {Node[]}
 */
export function togetherOf(id, state, remedy) {
  const words = state.figures?.response.together;
  if (!words) return [];
  const lint = gravest(state);
  return [
    made(
      "div",
      { id, className: "together" },
      made("p", { id: `${id}.words` }, made("b", {}, "All answers of one person together. "), words),
      lint ? made("p", { id: `${id}.remark` }, remarkOf(lint)) : null,
      lint ? remedy(lint) : null,
    ),
  ];
}
