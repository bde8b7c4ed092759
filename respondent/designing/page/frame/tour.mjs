/** A way to one question of the respondent's own page: the questions before it are answered, as a respondent would. */

/** @typedef {{name: string, values: string[], minimum?: number | null, cuts?: number[]}} Question */
/** @typedef {{questions: string[], ask_if?: [string, string[]][], least?: number, minimum?: number | null, cuts?: number[], items?: [string, unknown][]}} Screen */
/** @typedef {{questions: Question[], screens?: Screen[]}} Published */

const EXTRAS = ["prefer_not_to_say", "no_answer", "not_applicable"];
const SECTIONS = "#survey section[data-question]";

/** The design that a page has. @param {Document} page @returns {Published} */
export const designOf = (page) => JSON.parse(page.getElementById("design")?.textContent ?? "{}");

/** The question of the file that a question of the page comes from: it may have become several. @param {string} published @param {string[]} names @returns {number} */
export function sourceOf(published, names) {
  const own = names.indexOf(published);
  return own >= 0 ? own : names.findIndex((name) => published.startsWith(`${name}_`));
}

/** The section of a question of the file, if this visit asks it. @param {Document} page @param {string} name @param {string[]} names */
export function sectionOf(page, name, names) {
  const sections = /** @type {HTMLElement[]} */ ([...page.querySelectorAll(SECTIONS)]);
  return sections.find((each) => names[sourceOf(each.dataset.question ?? "", names)] === name) ?? null;
}

/** The section that is shown. @param {Document} page @returns {HTMLElement | null} */
export const shownSection = (page) => page.querySelector(`${SECTIONS}:not([hidden])`);

/**
 * Begin the survey, answer what stands before a section, and go on from the section right before it, as that one Continue
 * shows only what the page would ask.
 *
 * @param {Document} page
 * @param {HTMLElement} section
 * @returns {Promise<boolean>} Whether it is shown.
 */
export async function goTo(page, section) {
  const published = designOf(page);
  const wanted = wantedFor(section.dataset.question ?? "", published);
  const sections = /** @type {HTMLElement[]} */ ([...page.querySelectorAll(SECTIONS)]);
  const place = sections.indexOf(section);
  for (const each of sections.slice(0, place)) answer(each, published, wanted);
  page.getElementById("start")?.click();
  if (place > 1) await jump(page, place);
  if (place > 0) page.getElementById("next")?.click();
  return shownSection(page) === section;
}

/** Let the page show one of its screens, counted from 1. @param {Document} page @param {number} screen */
async function jump(page, screen) {
  const address = new URL("jump.mjs", import.meta.url).href;
  const content = await (await fetch(address)).arrayBuffer();
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-384", content));
  const script = page.createElement("script");
  script.type = "module";
  script.src = `${address}?screen=${screen}`;
  script.integrity = `sha384-${btoa(String.fromCharCode(...hash))}`; // the page runs no script without its hash
  await new Promise((resolve) => {
    page.addEventListener("jumped", resolve, { once: true });
    script.onerror = resolve;
    page.head.append(script);
  });
}

/** What the questions before one have to have for an answer, if it is to be asked. @param {string} name @param {Published} published */
function wantedFor(name, published) {
  /** @type {Map<string, string[]>} */
  const wanted = new Map();
  const open = [name];
  for (let each = open.pop(); each; each = open.pop())
    for (const [other, values] of screenOf(each, published)?.ask_if ?? []) {
      const both = wanted.get(other)?.filter((value) => values.includes(value)) ?? values;
      wanted.set(other, both);
      open.push(other);
    }
  return wanted;
}

/** @param {string} name @param {Published} published */
const screenOf = (name, published) => (published.screens ?? []).find((each) => each.questions.includes(name));

/** Answer what a section asks: as it is wanted, else the first answer. @param {HTMLElement} section @param {Published} published @param {Map<string, string[]>} wanted */
function answer(section, published, wanted) {
  const first = section.dataset.question ?? "";
  const screen = screenOf(first, published);
  const box = /** @type {HTMLInputElement | null} */ (section.querySelector(".number input[type=text]"));
  const question = published.questions.find(({ name }) => name === first);
  if (box && question) box.value = String(numberFor(question, screen, wanted.get(first) ?? []));
  for (const group of section.querySelectorAll("fieldset")) choose(group, wanted);
  const taps = [...section.querySelectorAll("button[aria-pressed=false]")];
  const order = wanted.get(first)?.[0]?.split(">").map((value) => screen?.items?.findIndex(([item]) => item === value));
  const ranked = order ? taps.sort((one, other) => order.indexOf(numberOf(one)) - order.indexOf(numberOf(other))) : taps;
  for (const each of ranked) /** @type {HTMLElement} */ (each).click();
  tick(section, screen, wanted);
}

/** The number at the end of the id of a control. @param {Element} control */
const numberOf = (control) => Number(control.id.slice(control.id.lastIndexOf("-") + 1));

/** Choose one of the radios of a group that has none. @param {Element} group @param {Map<string, string[]>} wanted */
function choose(group, wanted) {
  const radios = /** @type {HTMLInputElement[]} */ ([...group.querySelectorAll(":scope > label > input[type=radio]")]);
  if (!radios.length || radios.some((each) => each.checked)) return;
  const name = /^q-(.*)-\d+$/.exec(radios[0]?.id ?? "")?.[1] ?? "";
  const values = wanted.get(name);
  const radio = radios.find((each) => (values ? values.includes(each.value) : !EXTRAS.includes(each.value)));
  (radio ?? radios[0])?.click();
}

/** Tick the options that are wanted, and then as many as have to be. @param {HTMLElement} section @param {Screen | undefined} screen @param {Map<string, string[]>} wanted */
function tick(section, screen, wanted) {
  const boxes = /** @type {HTMLInputElement[]} */ ([...section.querySelectorAll("input[type=checkbox][value]")]).filter((each) => each.id !== `q-${section.dataset.question}-none` && !each.id.endsWith("-decline"));
  const all = wanted.get(section.dataset.question ?? "")?.[0]?.split("+") ?? [];
  for (const each of boxes) if (all.includes(each.value) || wanted.get(each.value)?.[0] === "yes") each.click();
  const barred = (/** @type {HTMLInputElement} */ each) => wanted.get(each.value)?.[0] === "no";
  for (const each of boxes) {
    const ticked = boxes.filter(({ checked }) => checked).length;
    if (!each.checked && !barred(each) && ticked < Math.max(1, screen?.least ?? 1)) each.click();
  }
}

/** A number in an interval that is wanted. @param {Question} question @param {Screen | undefined} screen @param {string[]} values */
function numberFor(question, screen, values) {
  const { minimum = null, cuts = [] } = screen?.cuts ? screen : question;
  const at = values.length ? question.values.indexOf(values[0] ?? "") : 0;
  const low = cuts[at - 1];
  return low ?? minimum ?? (cuts[0] ?? 1) - 1;
}
