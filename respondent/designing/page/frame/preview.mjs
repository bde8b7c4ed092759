/** The preview: the respondent's own page at the question that is edited, which can be tried from there. */

import { element, made, update } from "../parts.mjs";
import { placeIn } from "../translating/places.mjs";
import { designOf, goTo, sectionOf, shownSection, sourceOf } from "./tour.mjs";

/** @typedef {import("../state.d.ts").Previewed} Previewed */

/** Heights of the window by its widths, in pixels. */
const HEIGHTS = /** @type {Record<string, number>} */ ({ 360: 640, 768: 900, 1280: 900 });
const PATIENCE = 15000; // milliseconds until the page of a respondent is there
const LOOK = 20; // milliseconds between looks at it
const DRAWS = 6; // visits, where each asks some of the questions
const SHOWN = 3; // missing translations that are named

/** Whether the panes stand next to one another, as in design.css. */
const SIDE_BY_SIDE = matchMedia("(min-width: 60rem) and (min-height: 24rem)");

let width = 360;
let language = "";
/** What the preview shows, or is about to. */
let seen = "";
/** The names of the questions of the file. @type {string[]} */
let names = [];

/** What is clicked: a question, a key of its table, and which answer. @typedef {{index: number, key: string, language: string, row: number}} Spot */

/**
 * Show a question of the design in the preview; without one its first page.
 *
 * @param {Previewed | null} shown
 * @param {string[]} questions - Their names, as the file has them.
 * @param {number} index - Of the question; -1 without.
 * @param {(spot: Spot) => void} point - Goes to the field of what is clicked.
 */
export function showPreview(shown, questions, index, point) {
  names = questions;
  if (shown && !shown.languages.includes(language)) language = shown.languages[0] ?? "";
  element("preview.none").textContent = wordsOn(shown);
  element("preview.none").hidden = !wordsOn(shown);
  const picker = /** @type {HTMLSelectElement} */ (element("preview.language"));
  update(picker, (shown?.languages ?? []).map((each) => made("option", { value: each }, nameOf(each))));
  picker.value = language;
  element("preview.languages").hidden = (shown?.languages.length ?? 0) < 2;
  const again = () => showPreview(shown, names, index, point);
  picker.onchange = () => {
    language = picker.value;
    again();
  };
  const widths = /** @type {HTMLSelectElement} */ (element("preview.width"));
  widths.onchange = () => {
    width = Number(widths.value);
    fit();
  };
  element("preview.again").onclick = () => {
    seen = "";
    again();
  };
  if (!shown) return;
  const wanted = JSON.stringify([shown.fingerprint, language, names[index] ?? ""]);
  if (wanted === seen) return;
  seen = wanted;
  void load(shown, names[index] ?? "", wanted, point);
}

/** Say that the preview shows another question, as somebody went on there. @param {number} index */
export function follow(index) {
  const [fingerprint, spoken] = JSON.parse(seen || "[]");
  seen = JSON.stringify([fingerprint, spoken, names[index] ?? ""]);
}

/** What a language is called. @param {string} tag */
function nameOf(tag) {
  const name = new Intl.DisplayNames(["en"], { type: "language" }).of(tag);
  return name && name !== tag ? `${name} (${tag})` : tag;
}

/** What to know of the preview. @param {Previewed | null} shown */
function wordsOn(shown) {
  if (!shown) return "The preview begins once nothing is left to fix.";
  if (shown.stale) return "This is the last version without errors. Correct what is marked, and the preview goes on.";
  if (!shown.missing.length) return "";
  const listed = shown.missing.slice(0, SHOWN).map(({ path, language: tag }) => `${placeIn(path)} (${tag})`);
  const more = shown.missing.length > SHOWN ? `, and ${shown.missing.length - SHOWN} more` : "";
  return `Not translated yet: ${listed.join(", ")}${more}. The preview shows another language, or the name.`;
}

/** Load the page beside the one that is shown, and let it take its place once it shows the question. @param {Previewed} shown @param {string} name @param {string} wanted @param {(spot: Spot) => void} point */
async function load(shown, name, wanted, point) {
  let isThere = false;
  for (let draw = 0; draw < DRAWS && !isThere; draw += 1) {
    const frame = made("iframe", { className: "coming", title: "The respondent's page, as it will be served" });
    sessionStorage.clear(); // where a visit keeps what it has drawn and sent
    frame.src = `./preview/s/${encodeURIComponent(shown.name)}?lang=${encodeURIComponent(language)}`;
    for (const each of document.querySelectorAll("#phone .coming")) each.remove();
    element("phone").append(frame);
    const page = await begun(frame, () => wanted === seen);
    if (!page) {
      if (wanted === seen) settle(frame);
      return;
    }
    prepare(frame);
    const section = name ? sectionOf(page, name, names) : null;
    isThere = !name || (section !== null && (await goTo(page, section)));
    if (wanted !== seen) return;
    if (!isThere && draw < DRAWS - 1 && "sampling" in designOf(page)) continue;
    page.addEventListener("click", (event) => clicked(page, event, point));
    settle(frame);
    element("preview.said").textContent = isThere ? "" : "The preview begins at the first page: it cannot reach this question.";
    return;
  }
}

/** The document of a frame once a visit can begin there; none where it is no longer wanted or takes too long. @param {HTMLIFrameElement} frame @param {() => boolean} isWanted @returns {Promise<Document | null>} */
async function begun(frame, isWanted) {
  const until = performance.now() + PATIENCE;
  while (performance.now() < until && isWanted() && frame.isConnected) {
    const page = frame.contentDocument;
    if (page?.querySelector("#start:enabled")) return page;
    if (page?.readyState === "complete" && page.URL !== "about:blank" && !page.querySelector("#start")) return null;
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
  return null;
}

/** Keep what the page does to itself: it adds nothing to the history, and asks nothing when the designer is closed. @param {HTMLIFrameElement} frame */
function prepare(frame) {
  const inner = frame.contentWindow;
  if (!inner) return;
  const { history } = inner;
  history.pushState = history.replaceState;
  history.go = history.back = () => undefined;
  inner.addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), { capture: true });
}

/** Show a frame in place of the one before. @param {HTMLIFrameElement} frame */
function settle(frame) {
  for (const each of document.querySelectorAll("#phone iframe")) if (each !== frame) each.remove();
  frame.className = "";
  fit();
}

/** Fit the window into its pane. */
function fit() {
  const phone = element("phone");
  const { clientWidth, clientHeight } = element("preview.frame");
  const scale = Math.min(1, clientWidth / width) || 1;
  const room = SIDE_BY_SIDE.matches ? clientHeight / scale : Infinity; // above what is promised
  const height = Math.min(HEIGHTS[width] ?? 0, room);
  phone.style.width = `${width * scale}px`;
  phone.style.height = `${height * scale}px`;
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (phone.querySelectorAll("iframe")))
    Object.assign(each.style, { width: `${width}px`, height: `${height}px`, transform: `scale(${scale})` });
}

/** Go to the field of a text that is clicked. @param {Document} page @param {Event} event @param {(spot: Spot) => void} point */
function clicked(page, event, point) {
  const target = /** @type {Element} */ (event.target);
  const section = shownSection(page);
  if (!section?.contains(target)) return;
  const index = sourceOf(section.dataset.question ?? "", names);
  const choice = target.closest("label.choice, ol.ranks li, fieldset.line > legend");
  const key = target.closest("h1") ? "label" : target.closest(".hint") ? "hint" : target.closest(".count") ? "section" : "";
  if (index < 0 || !(choice || key)) return;
  const control = choice?.matches("legend") ? null : choice?.querySelector("input, button");
  const row = control ? Number(/-(\d+)$/.exec(control.id)?.[1] ?? -1) : -1;
  const lines = [...section.querySelectorAll("fieldset.line > legend")];
  const inMultiple = control?.matches("[type=checkbox]") ? [...section.querySelectorAll("input[type=checkbox]")].indexOf(control) : row;
  point({
    index,
    key: key || (choice?.matches("legend") ? "statements" : "answers"),
    language,
    row: choice?.matches("legend") ? lines.indexOf(choice) : inMultiple,
  });
}

new ResizeObserver(fit).observe(element("preview.frame"));
