/** A step between two versions of a survey file, in words. */

import { isTable } from "../controls.mjs";
import { questionsOf } from "../questions.mjs";

/** @typedef {import("../state.d.ts").Table} Table */
/** @typedef {import("../state.d.ts").Value} Value */

/** What the keys of a question are called, where the key is no word for it. @type {Record<string, string>} */
const QUESTION = {
  hint: "line below",
  values: "answers",
  words: "words of the answers",
  ask_if: "condition",
  section: "heading above",
  decline: "“prefer not to say”",
  optional: "skipping",
  shuffle: "order of the answers",
  sensitive: "disguise",
  prior: "expected frequencies",
  none: "“none of these”",
  picture_text: "words on the picture",
};
const PARTS = /** @type {Record<string, string>} */ ({
  groups: "the groups",
  privacy: "the epsilon of a whole response",
  sampling: "the sampling",
  mining: "the question that models predict",
});

/** @param {Value | undefined} one @param {Value | undefined} other */
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** One place before and after. @param {number} place @returns {[number, number]} */
const at = (place) => [place, place];

/** The keys whose values differ. @param {Table} one @param {Table} other */
const keysOf = (one, other) => [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((key) => !isSame(one[key], other[key]));

/**
 * What a step changes, and the place of the question that it is about: before the step, and after it.
 *
 * @param {Table} before
 * @param {Table} after
 * @returns {{words: string, places: [number, number]}} Places of -1 without a question.
 */
export function changeBetween(before, after) {
  const [old, now] = [questionsOf(before), questionsOf(after)];
  if (old.length !== now.length) return lengthened(old, now);
  const changed = now.flatMap((each, index) => (isSame(old[index], each) ? [] : [index]));
  const names = changed.filter((index) => old[index]?.name !== now[index]?.name);
  const [first = -1] = changed;
  if (names.length === 1) return { words: `the name of question ${(names[0] ?? 0) + 1}`, places: at(names[0] ?? -1) };
  if (names.length > 1) return movedOf(old, now, changed);
  if (changed.length > 1) return { words: `questions ${changed.map((index) => index + 1).join(", ")}`, places: at(first) };
  if (changed.length === 1) {
    const keys = keysOf(old[first] ?? {}, now[first] ?? {});
    const known = keys.includes("kind") ? ["kind"] : keys.length > 1 ? keys.filter((key) => !["prior", "pictures", "replacement"].includes(key)) : keys;
    const words = known.length === 1 ? `the ${QUESTION[known[0] ?? ""] ?? String(known[0]).replaceAll("_", " ")} of ` : "";
    return { words: `${words}question ${first + 1}`, places: at(first) };
  }
  return { words: others(before, after), places: at(-1) };
}

/** @param {Table[]} old @param {Table[]} now @returns {{words: string, places: [number, number]}} */
function lengthened(old, now) {
  const [longer, shorter, words] = old.length < now.length ? [now, old, "adding"] : [old, now, "deleting"];
  const count = longer.length - shorter.length;
  const place = longer.findIndex((each, index) => each.name !== shorter[index]?.name);
  if (count > 1) return { words: `${words} ${count} questions`, places: at(-1) };
  return { words: `${words} question ${place + 1}`, places: at(place) };
}

/** @param {Table[]} old @param {Table[]} now @param {number[]} changed @returns {{words: string, places: [number, number]}} */
function movedOf(old, now, changed) {
  const [first = 0, last = first] = [changed[0], changed.at(-1)];
  const isDown = old[first]?.name === now[last]?.name;
  const [from, to] = isDown ? [first, last] : [last, first];
  const isMoved = old[from]?.name === now[to]?.name && isSame(old.toSpliced(from, 1).map(({ name }) => name ?? null), now.toSpliced(to, 1).map(({ name }) => name ?? null));
  return isMoved ? { words: `moving question ${from + 1} to ${to + 1}`, places: [from, to] } : { words: "several questions", places: at(first) };
}

/** @param {Table} before @param {Table} after */
function others(before, after) {
  const keys = keysOf(before, after);
  const [key = ""] = keys;
  if (!keys.length) return "a change to the file that is not shown here";
  if (keys.length > 1) return `${keys.map((each) => each.replaceAll("_", " ")).join(" and ")} of the survey`;
  if (key !== "study") return PARTS[key] ?? `the ${key} of the survey`;
  const [one, other] = [before.study, after.study];
  const lines = isTable(one) && isTable(other) ? keysOf(one, other) : [];
  return lines.length === 1 ? `“${lines[0]?.replaceAll("_", " ")}” of the study card` : "the study card";
}
