/** The survey file as text, which is only read here, with what is wrong at its lines. */

import { button, made } from "../parts.mjs";
import { placeIn } from "../translating/places.mjs";
import { answerOf } from "./asked.mjs";

/** @typedef {import("../state.d.ts").Problem} Problem */
/** @typedef {import("../state.d.ts").Shown} Shown */

/**
 * The view.
 *
 * @param {Shown} shown
 * @param {(problem: Problem) => void} go - Shows the field of a problem.
 * @param {() => void} redraw
 * @returns {Node[]}
 */
export function fileForm({ state }, go, redraw) {
  const lines = /** @type {{text: string, problems: number[]}[] | undefined} */ (answerOf("lines", state, redraw)) ?? [];
  const about = `This is ${state.path ?? "the survey file"} as it stands on the disk. You can read it here; edit it in the forms, or in an editor of your own.`;
  return [
    made("p", { id: "file.about" }, about),
    made("ol", { id: "file.lines", dir: "ltr", tabIndex: 0, "aria-label": "Lines of the survey file" }, ...lines.map((each, index) => lineOf(each, index, state.problems, go))),
  ];
}

/** @param {{text: string, problems: number[]}} line @param {number} index @param {Problem[]} problems @param {(problem: Problem) => void} go */
function lineOf({ text, problems: places }, index, problems, go) {
  const said = places.flatMap((each) => problems[each] ?? []);
  const faults = said.map((each, place) =>
    made("p", { className: "wrong" }, button(`file.${index}.${place}`, placeIn(each.path), () => go(each), { className: "link" }), ` ${each.words}`),
  );
  return made("li", { className: said.length ? "wrong" : "" }, made("code", {}, text), ...faults);
}
