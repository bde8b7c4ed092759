/** What a choice costs: how likely each answer can become, epsilon and bits, and how precise shares will be. */

import { ask } from "./design.mjs";
import { KINDS } from "./kinds.mjs";
import { drawn, made } from "./parts.mjs";
import { wordsFolded } from "./privacy/words.mjs";

/** @typedef {import("./state.d.ts").GroupFigures} GroupFigures */
/** @typedef {import("./state.d.ts").QuestionFigures} QuestionFigures */
/** @typedef {import("./state.d.ts").ValueFigures} ValueFigures */
/** @typedef {import("./state.d.ts").Shown} Shown */
/** @typedef {import("./state.d.ts").Table} Table */
/** @typedef {import("./state.d.ts").Point} Point */
/** @typedef {import("./state.d.ts").Spot} Spot */

const LEAST_WHOLE = 9.95; // factor from which a factor is written without decimals
const MOST_TIMES = 1e6; // that are written out
const DIGITS = 12; // of a number that is rounded up
const FARTHEST = 2; // times as wide as with the present design: four times as many people make up for it
const [WIDE, HIGH, LEFT, EDGE] = [320, 190, 44, 30]; // of the picture, and of its margins
const STEP = 0.05; // of a share, in which an axis begins

/** A figure in words, with all its digits behind them. @param {number | null | undefined} figure @param {(figure: number) => string} words */
export const figure = (figure, words) =>
  figure === null || figure === undefined ? made("span", {}, "none") : made("data", { value: String(figure) }, words(figure));

/** Half the width of a 95 % interval, of which the figure is given. @param {number} half */
export const points = (half) => `${(100 * half).toFixed(1)} points`;
/** How much a response can say at an epsilon. @param {number} epsilon */
export function inTimes(epsilon) {
  const times = Number(Math.exp(epsilon).toPrecision(DIGITS)); // the exponential of the logarithm of 3 is 3
  if (times > MOST_TIMES) return " (some responses may be over 1,000,000 times as likely with some answers as with others)";
  const step = 10 ** (Math.floor(Math.log10(times)) - 2);
  const words = (times < 100 ? Math.ceil(Number((times * 10).toPrecision(DIGITS))) / 10 : Math.ceil(times / step) * step).toLocaleString("en");
  return ` (no response is more than ${words} times as likely with some answers as with others)`;
}
/** A factor with two significant digits, as the server rounds it. @param {number} factor */
const inFactors = (factor) => (factor < LEAST_WHOLE ? factor.toFixed(1) : Number(factor.toPrecision(2)).toLocaleString("en"));
/** @param {number} share */
export const percent = (share) => `${(100 * share).toFixed(1)} %`;
/** A figure on an axis. @param {number} number */
const short = (number) => (number && number < 10 ? number.toFixed(1) : number.toFixed(0));
/** @param {number} number */
export const three = (number) => number.toFixed(3);

/** The figures of a question of the file: it may have become several. @param {Table} question @param {Shown} shown */
export function figuresOf(question, shown) {
  const all = shown.state.figures?.questions ?? [];
  const name = String(question.name);
  const own = all.filter((each) => each.name === name);
  return own.length || !KINDS[String(question.kind)]?.many ? own : all.filter((each) => each.name.startsWith(`${name}_`));
}

/** How many times as many people a question takes as if it were asked openly: of its dearest answer. @param {QuestionFigures} question */
export function factorOf(question) {
  const factors = question.values.flatMap((each) => (each.respondents_factor === null ? [] : [each.respondents_factor]));
  return factors.length ? Math.max(...factors) : null;
}

/** @param {ValueFigures} value */
function bar(value) {
  const [before, after] = [100 * value.prior, 100 * value.likeliest];
  return drawn(
    "svg",
    { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { class: "back", width: 100, height: 10 }),
    drawn("rect", { class: "after", width: after, height: 10 }),
    drawn("rect", { class: "before", width: before, height: 10 }),
  );
}

/** What is not limited where no epsilon holds, for whom, and what to do. @param {GroupFigures | undefined} group @returns {string} */
export function withoutLimit(group) {
  if (!group) return "It is sent as it is.";
  const others = group.questions.length > 1 ? ", such as another answer of this group," : "";
  const remedy = group.channel === "complement" ? " Choose the uniform channel to set a limit." : "";
  return `Nothing limits what a response tells somebody who knows more about a person${others} because it rules some answers out.${remedy}`;
}

/** @param {QuestionFigures} question @param {GroupFigures | undefined} group @param {number} respondents */
function tableOf(question, group, respondents) {
  const rows = question.values.map((value) =>
    made(
      "tr",
      {},
      made("th", { scope: "row", dir: "auto" }, value.words),
      made("td", {}, bar(value), figure(value.prior, percent), " to ", figure(value.likeliest, percent)),
      made("td", {}, value.width === null ? "" : "± ", figure(value.width === null ? null : value.width / 2, points)),
    ),
  );
  const factor = factorOf(question);
  return made(
    "div",
    { id: `cost.${question.name}` },
    made(
      "table",
      {},
      made("caption", {}, question.name),
      made(
        "thead",
        {},
        made(
          "tr",
          {},
          ...["answer", "how likely: before, and at most after the whole response", `share of ${respondents} people: 95 % interval`].map((each) =>
            made("th", { scope: "col" }, each),
          ),
        ),
      ),
      made("tbody", {}, ...rows),
    ),
    made(
      "p",
      {},
      question.epsilon === null ? withoutLimit(group) : made("span", {}, "Epsilon ", figure(question.epsilon, three), inTimes(question.epsilon), "."),
      " ",
      made("span", {}, question.bits_exact ? "" : "At least ", figure(question.bits, three), " of ", figure(question.entropy, three), " bits of it stay unknown."),
    ),
    factor !== null &&
      made(
        "p",
        { className: "price" },
        ...(factor > 1.05
          ? ["It takes ", figure(factor, inFactors), " times as many people as without disguise."]
          : ["It takes as many people as without disguise."]),
      ),
  );
}

/** The statement in words, and of which design. @type {{of: string, lines: string[]}} */
let statement = { of: "", lines: [] };

/** The statement in words, which is asked for once it is opened. @param {Shown} shown @param {() => void} redraw */
function linesOf(shown, redraw) {
  const { version, respondents } = shown.state;
  const of = `${version} ${respondents}`;
  const ontoggle = async () => {
    const details = document.getElementById("cost.lines");
    if (!(details instanceof HTMLDetailsElement && details.open) || statement.of === of) return;
    statement = { of, lines: statement.lines };
    const lines = /** @type {string[] | null} */ (await ask(`statement?respondents=${respondents}`).catch(() => null));
    if (statement.of !== of) return;
    statement = { of: lines ? of : "", lines: lines ?? [] };
    if (lines) redraw();
  };
  void ontoggle();
  return made(
    "details",
    { id: "cost.lines", ontoggle },
    made("summary", {}, "All of it in words"),
    made("ul", {}, ...statement.lines.map((each) => made("li", {}, each))),
  );
}

/** What is promised for the chosen question, and what it costs, in sentences. @param {Table | null} question @param {Shown} shown @returns {Node[]} */
export function promiseOf(question, shown) {
  const all = question ? figuresOf(question, shown) : [];
  return all.map((each) => {
    const name = made("b", {}, `${each.name}: `);
    return made(
      "details",
      { id: `promise.${each.name}` },
      made("summary", { id: `promise.${each.name}.open` }, name, made("span", { className: "price" }, each.meaning.cost)),
      made("p", { id: `promise.${each.name}.belief` }, made("b", {}, "This answer. "), each.meaning.belief),
    );
  });
}

/** The figures of the chosen question, and of the whole response. @param {Table | null} question @param {Shown} shown @param {() => void} redraw @returns {Node[]} */
export function costOf(question, shown, redraw) {
  const { figures, respondents, survey } = shown.state;
  if (!figures) return [made("p", { className: "quiet", id: "cost.none" }, "Figures are shown once nothing is left to fix.")];
  const tables = question ? figuresOf(question, shown).map((each) => tableOf(each, figures.groups.find(({ name }) => name === each.group), respondents)) : [];
  const { epsilon, readers, central } = figures.response;
  return [
    figures.stale || !survey
      ? made("p", { className: "wrong", id: "cost.stale" }, "These are the figures from before: something is left to fix.")
      : null,
    ...tables,
    made(
      "p",
      { id: "cost.whole" },
      made("b", {}, "The whole response: "),
      ...(epsilon === null ? ["nothing limits what it tells somebody who knows more about a person. “All answers of one person together” says why."] : ["epsilon ", figure(epsilon, three), inTimes(epsilon), "."]),
    ),
    readers ? made("p", { id: "cost.readers" }, readers) : null,
    central ? made("p", { className: "quiet", id: "cost.central" }, "In the terms of differential privacy: ", central) : null,
    wordsFolded("cost.words"),
    linesOf(shown, redraw),
  ].filter((each) => each instanceof Node);
}

/** A mark of the picture, and what it stands for. @param {SVGElement} mark @param {string} words */
const keyOf = (mark, words) =>
  made("span", { className: "key" }, drawn("svg", { class: "glyph", viewBox: "0 0 20 20", "aria-hidden": "true" }, mark), words);

/** The widest interval that the picture has room for: what the design would give with a quarter of the people. @param {number[]} widths - Along the curve. @param {Spot | undefined} present */
function widestOf(widths, present) {
  const most = Math.max(...widths);
  const wide = FARTHEST * (present?.width ?? most);
  return Math.min(most, Math.max(wide, FARTHEST * Math.min(...widths)));
}

/**
 * One picture of privacy against precision: a curve of designs, with marks on it.
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
  const useful = widestOf(known.map(width), present ?? chosen);
  const seen = [...known, ...(chosen ? [chosen] : [])].filter((each) => hasWidth(each) && width(each) <= useful); // the rest is beyond the edge
  const [most, widest] = [Math.max(...seen.map(given)) || 1, Math.min(1, useful) || 1];
  const across = (/** @type {number} */ wide) => LEFT + ((WIDE - LEFT - EDGE) * wide) / widest;
  const x = (/** @type {Spot} */ each) => across(Math.min(width(each), widest));
  const least = hasEpsilon ? 0 : STEP * Math.floor(Math.min(...seen.map(given)) / STEP);
  const y = (/** @type {Spot} */ each) => HIGH - EDGE - ((HIGH - 2 * EDGE) * (Math.min(given(each), most) - least)) / (most - least || 1);
  const line = known.map((each) => `${across(width(each)).toFixed(1)} ${y(each).toFixed(1)}`).join("L");
  const ring = (/** @type {string} */ name, /** @type {Spot | undefined} */ spot, /** @type {number} */ r) =>
    spot ? drawn("circle", { class: name, cx: x(spot), cy: y(spot), r }) : null;
  const square = chosen && { class: "chosen", x: x(chosen) - 5, y: y(chosen) - 5, width: 10, height: 10 };
  const measure = hasEpsilon ? "epsilon" : "how likely an answer can become";
  const words =
    `${measure} from ${three(Math.min(...seen.map(given)))} to ${three(most)}, ` +
    `against shares within ± ${points(widest / 2)} to ± ${points(Math.min(...seen.map(width)) / 2)} (95 % interval)`;
  return made(
    "figure",
    {},
    drawn(
      "svg",
      { class: "balance", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": words },
      drawn("path", { class: "axes", d: `M${LEFT} ${EDGE}V${HIGH - EDGE}H${WIDE - EDGE}` }),
      drawn("clipPath", { id: "balance.clip" }, drawn("rect", { x: LEFT, y: 0, width: WIDE - LEFT - EDGE + 1, height: HIGH })),
      drawn("path", { class: "curve", d: `M${line}`, "clip-path": "url(#balance.clip)" }),
      ring("present", present, 8),
      square ? drawn("rect", square) : null,
      ring("tried", tried, 5),
      ...[0, 1 / 2, 1].flatMap((part) => [
        drawn("text", { x: LEFT - 4, y: HIGH - EDGE - (HIGH - 2 * EDGE) * part + 4, "text-anchor": "end" }, hasEpsilon ? short(most * part) : `${Math.round(100 * (least + (most - least) * part))} %`),
        drawn("text", { x: LEFT + (WIDE - LEFT - EDGE) * part, y: HIGH - EDGE + 14, "text-anchor": "middle" }, `± ${part ? (50 * widest * part).toFixed(1) : 0}`),
      ]),
      drawn("text", { x: 4, y: EDGE - 14 }, `${measure} ↑`),
      drawn("text", { x: WIDE - 4, y: HIGH - 2, "text-anchor": "end" }, "share within ± points (95 %), less precise →"),
    ),
    made(
      "figcaption",
      { className: "quiet" },
      keyOf(drawn("circle", { class: "present-key", cx: 10, cy: 10, r: 8 }), "Ring: the design as it is. "),
      keyOf(drawn("circle", { class: "tried-key", cx: 10, cy: 10, r: 5 }), "Dot: where the slider is; at the right edge it may be farther out. "),
      chosen && keyOf(drawn("rect", { class: "chosen-key", x: 5, y: 5, width: 10, height: 10 }), "Square: what one epsilon for the whole response would choose."),
    ),
  );
}
