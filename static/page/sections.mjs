/** Building screens from the published design, with texts as texts: nothing in them is ever markup. */

import { toldOdds } from "./odds.mjs";
import { isolated, element, fill, language, made, mark } from "./questions.mjs";
import { EXTRAS, isWritten } from "./words.mjs";

const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
const LONG = 15; // values: a longer list has a search box

/** The screens of the questions that are asked, in the order in which they are shown. */
export function screensOf({ questions, screens = [], shuffle }) {
  const found = questions.map(({ name }) => screens.find((each) => each.questions.includes(name)) ?? { kind: "plain", questions: [name] });
  return inOrder([...new Set(found)], shuffle);
}

/** In a random order where that is wished: it is never sent. */
export function inOrder(list, shuffle) {
  if (!shuffle) return list;
  const keys = crypto.getRandomValues(new Uint32Array(list.length));
  return [...keys.keys()].sort((a, b) => keys[a] - keys[b]).map((at) => list[at]);
}

/** One screen, hidden and disabled, with how its answers are read. */
export async function buildPart(screen, asks, count, texts) {
  const [{ question }] = asks;
  const written = isWritten(screen, question);
  const section = copyOf(written ? "number" : "choice", question.name);
  const part = (selector) => section.querySelector(selector);
  if (written) part("h1").after(...copyOf("choice", question.name).querySelectorAll("legend ~ *"));
  part(".count").textContent = count;
  const [label, hint] = [screen.label ?? question.label, screen.hint ?? question.hint];
  mark(part("label") ?? part("h1"), label).textContent = label[language];
  mark(part(".hint"), hint).textContent = hint?.[language] ?? "";
  const kind = written ? "numbers" : screen.kind;
  if (["numbers", "multiple", "ranking"].includes(kind) && skippable(question)) addHint(section, texts.optional);
  const [headline, ...lines] = oddsLines(screen, asks, texts);
  part("p.odds").textContent = headline;
  part("ul").append(...lines.map((line) => made("li", line)));
  if (!lines.length) part("details").remove();
  const built = { screen, asks, section, texts };
  const box = part(written ? ".number" : "fieldset");
  built.read = await (["plain", "date"].includes(kind) ? askChoice(built, asks[0], box) : (await import(`./${kind}.mjs`)).ask(built, box));
  return built;
}

/** A line below the hint. */
export function addHint(section, words) {
  section.querySelector(".hint").after(made("p", words, { className: "hint" }));
}

/** Whether it can be skipped: to decline is the one way where that is offered. */
const skippable = ({ values }) => values.includes("no_answer") && !values.includes("prefer_not_to_say");

/** The odds of all questions of a screen: once where they are alike. */
function oddsLines({ kind }, asks, texts) {
  const told = asks.map((each) => toldOdds(each, texts));
  const [[headline, ...rest]] = told;
  const alike = new Set(told.map(String)).size === 1;
  if (asks.length < 2 || (alike && !rest.length)) return told[0];
  if (alike) return [fill(texts[`each-${kind}`], { odds: headline }), ...rest];
  const lines = told.flatMap(([headline, ...more], at) => [`${isolated(asks[at].question.label[language])}: ${headline}`, ...more]);
  return [texts.lines, ...new Set(lines)];
}

/** A box to tick in place of an answer, if there is one. */
export function addDecline(box, { name, values }, texts) {
  if (!values.includes("prefer_not_to_say")) return () => false;
  const input = addChoice(box, texts.prefer_not_to_say, { type: "checkbox", id: `q-${name}-decline` });
  return () => input.checked && "prefer_not_to_say";
}

/** One radio for each value, and a box to find it where they are many. */
export async function askChoice({ screen, texts }, { question, words }, fieldset) {
  const { name, values, words: texted } = question;
  const offered = { no_answer: skippable(question), not_applicable: !screen.ask_if };
  const extras = values.filter((value) => EXTRAS.includes(value) && (offered[value] ?? true));
  const base = values.filter((value) => !EXTRAS.includes(value));
  const shown = [...inOrder(base, screen.kind === "plain" && screen.shuffle), ...extras];
  if (shown.length > LONG) (await import("./search.mjs")).addSearch(fieldset, name, texts);
  for (const value of shown) {
    const at = values.indexOf(value);
    addChoice(fieldset, words[at], { type: "radio", id: `q-${name}-${at}`, value }, EXTRAS.includes(value) ? null : texted[at]);
  }
  groupRadios(fieldset);
  const none = values.includes("no_answer") ? "no_answer" : undefined;
  return () => ({ [name]: fieldset.querySelector(":checked")?.value ?? none });
}

/**
 * Make one group of the radios in a fieldset, which must have no name: at most one is checked, Tab enters and leaves the
 * group once, arrow keys move the choice among those in sight, from the search box too, and screen readers say "1 of 4".
 */
function groupRadios(fieldset) {
  const radios = [...fieldset.querySelectorAll("[type=radio]")];
  const seen = () => radios.filter((radio) => !radio.parentElement.hidden);
  const settle = () => {
    const group = seen();
    const stop = group.find((radio) => radio.checked) ?? group[0]; // of Tab
    for (const radio of radios) radio.tabIndex = radio === stop ? 0 : -1;
    group.forEach((radio, at) => (radio.setAttribute("aria-posinset", at + 1), radio.setAttribute("aria-setsize", group.length)));
  };
  const choose = (chosen) => {
    for (const radio of radios) radio.checked = radio === chosen;
    settle();
  };
  fieldset.addEventListener("change", ({ target }) => radios.includes(target) && choose(target));
  fieldset.addEventListener("input", settle); // after a search
  fieldset.addEventListener("keydown", (event) => {
    const [group, step] = [seen(), STEPS[event.key]];
    const from = group.indexOf(event.target);
    const next = from < 0 ? event.key === "ArrowDown" && group[0] : group[(from + step + group.length) % group.length];
    if (!next || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault(); // else the page scrolls
    next.focus();
    if (from >= 0) choose(next);
  });
  settle();
  fieldset.setAttribute("role", "radiogroup");
  fieldset.setAttribute("aria-required", "true");
}

export function addChoice(box, words, more, text) {
  const choice = mark(made("label", words, { className: "choice" }), text);
  const input = made("input", "", { disabled: true, ...more });
  choice.prepend(input);
  box.append(choice);
  return input;
}

/** What is in a template, with the question's name put in. */
function copyOf(id, name) {
  const copy = document.importNode(element(id).content.firstElementChild, true); // where pictures are loaded
  for (const part of [copy, ...copy.querySelectorAll("*")]) {
    for (const attribute of part.attributes) attribute.value = attribute.value.replaceAll("NAME", name);
  }
  return copy;
}
