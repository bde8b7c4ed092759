/** What a view asks the server about the present version: asked once, and shown when it is there. */

import { ask } from "../design.mjs";

/** @typedef {import("../state.d.ts").State} State */

/** The last answer for each address, and the version that it is of. @type {Map<string, {of: string, found: any}>} */
const answers = new Map();

/**
 * The last answer, which may still be that of the version before.
 *
 * @param {string} address
 * @param {State} state
 * @param {() => void} redraw - Is called when another answer is there.
 * @returns {any} Undefined before the first.
 */
export function answerOf(address, state, redraw) {
  const of = `${state.version} ${state.respondents}`;
  const before = answers.get(address);
  if (before?.of === of) return before.found;
  answers.set(address, { of, found: before?.found });
  ask(`${address}?respondents=${state.respondents}`)
    .then((found) => {
      if (answers.get(address)?.of !== of) return;
      answers.set(address, { of, found });
      redraw();
    })
    .catch(() => answers.delete(address));
  return before?.found;
}
