/** What the words of a disguise mean, folded where they first stand. */

import { made } from "../parts.mjs";

/** @type {[string, string][]} */
const WORDS = [
  ["Group", "Questions whose answers are disguised together, by one random draw. A group can have a single question."],
  ["Random draw", "Before answers leave the respondent's device, chance decides whether those of a group are sent as they are or replaced, all of them alike. Whoever has the responses cannot see how a random draw fell."],
  ["Truth probability", "The chance that the random draw sends the answers as they are. With 3/4 that is so for 75 of 100 people."],
  ["Channel", "What is sent if the random draw replaces an answer. With the complement channel it is the opposite, such as No for Yes. With the uniform channel it is an answer drawn by chance, which can be the same."],
  ["Epsilon", "A limit on what a response can tell: no response is more than 2 times as likely with some answers as with others at epsilon 0.7, 4 times at 1.4, 9 times at 2.2. Smaller is more private."],
  ["Bits", "How many yes-or-no questions it would take on average to learn an answer. More bits that stay unknown are more private."],
];

/** @param {string} id */
export const wordsFolded = (id) =>
  made(
    "details",
    { id },
    made("summary", { id: `${id}.open` }, "What group, random draw, truth probability, channel and epsilon mean"),
    made("ul", {}, ...WORDS.map(([word, meaning]) => made("li", {}, made("b", {}, `${word}. `), meaning))),
  );
