// @ts-check
/**
 * The page: it opens the form, collects the answers, has them coded and disguised, and sends what comes out. The only
 * file that touches page and network.
 *
 * The coins are tossed once, when Send is first pressed with every question answered. From then on the answers are
 * locked and one string of bytes is all there is to send: a retry sends it again, and nothing is ever tossed anew.
 */

import { AnswerError, codeAnswers, readNumber, valueOf } from "./coding.mjs";
import { readDesign } from "./design.mjs";
import { checkResponse, disguise } from "./disguise.mjs";
import { groupRadios } from "./radios.mjs";

const PATIENCE = 30_000; // milliseconds until a send counts as failed

/** @type {import("./coins.mjs").Words} */
const words = () => crypto.getRandomValues(new Uint32Array(1))[0];

/** @type {<T extends HTMLElement>(id: string) => T} */
const element = (id) => /** @type {any} */ (document.getElementById(id));

const form = /** @type {HTMLFormElement} */ (element("survey"));
const texts = JSON.parse(form.dataset.texts ?? "{}");
const title = document.title;

/** @type {string | null} What is sent, byte for byte, once the coins are tossed. */
let frozen = null;
let sending = false;

try {
  openForm(readDesign(JSON.parse(form.dataset.survey ?? "")));
} catch (error) {
  element("waiting").textContent = texts.broken;
  throw error;
}

/** Let people answer. @type {(design: import("./design.mjs").Design) => void} */
function openForm(design) {
  for (const question of form.querySelectorAll("[data-question]")) {
    if (question.querySelector("input[type=radio]")) groupRadios(question);
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit(design);
  });
  for (const control of form.querySelectorAll("input")) control.disabled = false;
  /** @type {HTMLButtonElement} */ (element("send")).disabled = false;
  element("waiting").remove();
}

/** Freeze what is to be sent, unless that was done before, and send it. */
async function submit(/** @type {import("./design.mjs").Design} */ design) {
  if (sending) return;
  try {
    frozen ??= freeze(design);
  } catch (error) {
    report("broken"); // no secure randomness, say: then nothing is sent
    throw error;
  }
  if (frozen === null) return;
  sending = true;
  report(null);
  const outcome = await send(frozen);
  sending = false;
  if (outcome === "stored") thank();
  else report(outcome);
}

/**
 * Code and disguise the answers, and lock them.
 *
 * @param {import("./design.mjs").Design} design
 * @returns {string | null} The body to send; null if an answer is missing or wrong, after saying so.
 */
function freeze(design) {
  const answers = Object.fromEntries(design.questions.map(({ name }) => [name, answerTo(name)]));
  const problems = new Map(design.questions.map((question) => [question.name, problemWith(question, answers)]));
  showProblems(problems);
  if ([...problems.values()].some(Boolean)) return null;
  const codes = disguise(design, codeAnswers(design, answers, words), words);
  checkResponse(design, codes);
  for (const control of form.querySelectorAll("input")) control.disabled = true;
  return JSON.stringify({ fingerprint: form.dataset.fingerprint, codes });
}

/** What was answered: a value, a number, or something that is neither. @type {(name: string) => any} */
function answerTo(name) {
  const question = element(`q-${name}-question`);
  const text = /** @type {HTMLInputElement | null} */ (question.querySelector("input[type=text]"));
  if (text) return readNumber(text.value);
  return /** @type {HTMLInputElement | null} */ (question.querySelector("input:checked"))?.value;
}

/** What is wrong with an answer, in words; empty if nothing is. */
function problemWith(/** @type {import("./design.mjs").Question} */ question, /** @type {Record<string, any>} */ answers) {
  try {
    valueOf(question, answers);
    return "";
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error;
    return texts[error.problem].replace("{minimum}", String(question.minimum));
  }
}

/** Say what is wrong, at each question and in a summary on top. @type {(problems: Map<string, string>) => void} */
function showProblems(problems) {
  const links = [];
  for (const [name, problem] of problems) {
    const question = element(`q-${name}-question`);
    const line = element(`q-${name}-error`);
    line.textContent = problem && texts.error + problem;
    line.hidden = !problem;
    (question.querySelector("input[type=text]") ?? question).setAttribute("aria-invalid", String(Boolean(problem)));
    if (problem) links.push(problemLink(question, problem));
  }
  const summary = element("summary");
  summary.querySelector("ul")?.replaceChildren(...links);
  summary.hidden = links.length === 0;
  document.title = (summary.hidden ? "" : texts.error) + title;
  if (!summary.hidden) summary.focus();
}

/** A line of the summary that leads to its question. @type {(question: HTMLElement, problem: string) => HTMLElement} */
function problemLink(question, problem) {
  const control = question.querySelector("input[tabindex='0']") ?? question.querySelector("input");
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = `#${control?.id}`;
  link.textContent = `${question.querySelector(".label")?.textContent} ${problem}`;
  link.addEventListener("click", (event) => {
    event.preventDefault(); // the address stays as it is
    question.scrollIntoView();
    /** @type {HTMLInputElement} */ (control).focus({ preventScroll: true });
  });
  item.append(link);
  return item;
}

/**
 * Send the frozen response.
 *
 * @param {string} body
 * @returns {Promise<"stored" | "offline" | "refused" | "outdated">} "offline" is worth another try.
 */
async function send(body) {
  try {
    const { status } = await fetch(form.dataset.address ?? "", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE),
    });
    if (status === 201) return "stored";
    if (status === 409) return "outdated";
    return status >= 400 && status < 500 && status !== 408 && status !== 429 ? "refused" : "offline";
  } catch {
    return "offline";
  }
}

/** Tell how sending goes: null while it does, else why it failed. */
function report(/** @type {"offline" | "refused" | "outdated" | "broken" | null} */ outcome) {
  const [failure, button] = [element("failure"), element("send")];
  element("before").hidden = true; // the coins are tossed
  failure.hidden = outcome === null;
  button.setAttribute("aria-disabled", String(outcome === null));
  element("progress").textContent = outcome === null ? texts.sending : "";
  document.title = (outcome === null ? "" : texts.error) + title;
  if (outcome === null) return;
  element("failure-reason").textContent = texts[outcome];
  element("failure-remedy").textContent = outcome === "offline" ? texts.kept : "";
  if (outcome === "offline") button.textContent = texts.again;
  else button.hidden = true;
  failure.focus();
}

/** Forget everything that was answered, and say thank you. */
function thank() {
  frozen = null;
  form.reset();
  element("answering").remove();
  document.title = `${texts.thanks} \u2013 ${title}`;
  const thanks = element("thanks");
  thanks.hidden = false;
  thanks.focus();
  window.scrollTo(0, 0);
}
