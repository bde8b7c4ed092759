/** One picture of privacy against precision: a curve of designs, with marks on it. */

import { percent, three } from "./cost.mjs";
import { drawn, made } from "./parts.mjs";

/** @typedef {import("./state.d.ts").Point} Point */
/** @typedef {import("./state.d.ts").Spot} Spot */

const [WIDE, HIGH, EDGE] = [300, 180, 30];

/**
 * The picture.
 *
 * @param {Point[]} curve
 * @param {{present?: Spot, chosen?: Spot, tried?: Spot}} marks - The design as it is, as one epsilon would choose it, and as it is slid.
 */
export function picture(curve, { present, chosen, tried }) {
  const spots = [...curve, present, chosen, tried].flatMap((each) => (each ? [each] : []));
  const hasEpsilon = spots.every((each) => each.epsilon !== null);
  const given = (/** @type {Spot} */ each) => (hasEpsilon ? (each.epsilon ?? 0) : each.belief);
  const width = (/** @type {Spot} */ each) => each.width ?? 1;
  const hasWidth = (/** @type {Spot} */ each) => Number.isFinite(width(each));
  const known = curve.filter(hasWidth);
  const seen = chosen && hasWidth(chosen) ? [...known, chosen] : known; // what is slid farther stays at the edge
  const [most, widest] = [Math.max(...seen.map(given)) || 1, Math.min(1, Math.max(...seen.map(width))) || 1];
  const x = (/** @type {Spot} */ each) => EDGE + ((WIDE - 2 * EDGE) * Math.min(width(each), widest)) / widest;
  const y = (/** @type {Spot} */ each) => HIGH - EDGE - ((HIGH - 2 * EDGE) * Math.min(given(each), most)) / most;
  const line = known.map((each) => `${x(each).toFixed(1)} ${y(each).toFixed(1)}`).join("L");
  const ring = (/** @type {string} */ name, /** @type {Spot | undefined} */ spot, /** @type {number} */ r) =>
    spot ? drawn("circle", { class: name, cx: x(spot), cy: y(spot), r }) : null;
  const square = chosen && { class: "chosen", x: x(chosen) - 5, y: y(chosen) - 5, width: 10, height: 10 };
  const measure = hasEpsilon ? "epsilon" : "how likely an answer can become";
  const words =
    `${measure} from ${three(Math.min(...seen.map(given)))} to ${three(most)}, ` +
    `against shares within ± ${percent(widest / 2)} to ± ${percent(Math.min(...seen.map(width)) / 2)}`;
  return made(
    "figure",
    {},
    drawn(
      "svg",
      { class: "balance", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": words },
      drawn("path", { class: "axes", d: `M${EDGE} ${EDGE}V${HIGH - EDGE}H${WIDE - EDGE}` }),
      drawn("path", { class: "curve", d: `M${line}` }),
      ring("present", present, 8),
      square ? drawn("rect", square) : null,
      ring("tried", tried, 5),
      drawn("text", { x: EDGE, y: EDGE - 10 }, `${measure} ↑`),
      drawn("text", { x: WIDE - EDGE, y: HIGH - 8, "text-anchor": "end" }, "less precise →"),
    ),
    made(
      "figcaption",
      { className: "quiet" },
      `The ring is the design as it is, the dot the slider${chosen ? ", the square what one epsilon for the whole response would choose" : ""}.`,
    ),
  );
}
