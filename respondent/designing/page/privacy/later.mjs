/** What is asked of the server once nothing was edited for a while, for what is in view: one question at a time. */

import { ask } from "../design.mjs";

/** @typedef {import("../state.d.ts").State} State */
/** @typedef {{address: string, id: string, of: string, then: () => void}} Wanted */

const PAUSE = 300; // milliseconds without an edit, or without scrolling
const NEAR = 2; // windows above and below the window that are asked about before one scrolls there

/** The last answer by its key, and the version that it is of. @type {Map<string, {of: string, found: any}>} */
const answers = new Map();
/** What is to be asked. @type {Map<string, Wanted>} */
const wanted = new Map();
let timer = 0;
let isAsking = false;

/**
 * The last answer, which may still be that of the version before.
 *
 * @param {string} address - With its query, but for the number of respondents.
 * @param {string} name - Of what it is about: another name has another answer.
 * @param {string} id - Of the element that shows the answer.
 * @param {State} state
 * @param {() => void} then - Is called when another answer is there, once for all that share it.
 * @returns {any} Undefined before the first; null where there is none.
 */
export function laterOf(address, name, id, state, then) {
  const of = `${state.version} ${state.respondents}`;
  const key = `${address} ${name}`;
  const before = answers.get(key);
  if (before?.of === of) return before.found;
  wanted.set(key, { address: `${address}&respondents=${state.respondents}`, id, of, then });
  wake();
  return before?.found;
}

function wake() {
  if (!wanted.size) return;
  clearTimeout(timer);
  timer = setTimeout(() => void askAll(), PAUSE);
}

async function askAll() {
  if (isAsking) return;
  isAsking = true;
  const redraws = /** @type {Set<() => void>} */ (new Set()); // once for all that came: a long form takes long to draw
  for (const [key, { id }] of wanted) if (!document.getElementById(id)) wanted.delete(key);
  for (let next = inView(); next; next = inView()) {
    const [key, { address, of, then }] = next;
    wanted.delete(key);
    const found = await ask(address).catch(() => null);
    answers.set(key, { of, found });
    redraws.add(then);
  }
  isAsking = false;
  for (const each of redraws) each();
}

/** One that is in view or near it. @returns {[string, Wanted] | undefined} */
const inView = () =>
  [...wanted].find(([, { id }]) => {
    const there = document.getElementById(id);
    if (!there?.checkVisibility()) return false;
    const { top, bottom } = there.getBoundingClientRect();
    return top < innerHeight * (1 + NEAR) && bottom > -innerHeight * NEAR;
  });

addEventListener("scroll", wake, { capture: true, passive: true });
