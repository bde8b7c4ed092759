/** The page of a design: its parts are drawn anew after each edit, without moving the focus. */

import { balanceOf } from "./balance.mjs";
import { at, isTable, labelled, picker } from "./controls.mjs";
import { costOf, figuresOf, promiseOf } from "./cost.mjs";
import { Design } from "./design.mjs";
import { offerBeginnings, remarksOn, remedyOf } from "./dialogs.mjs";
import { formOf } from "./form.mjs";
import { privacyForm } from "./groups.mjs";
import { KINDS, partsOf } from "./kinds.mjs";
import { fieldOf, summaryOf, toFix } from "./fixing/summary.mjs";
import { blankForm } from "./frame/blank.mjs";
import { drawMenu, openMenu } from "./frame/menu.mjs";
import { button, element, forget, made, refused, rename, say, update } from "./parts.mjs";
import { controlOf, markPointed, pointTo } from "./frame/pointed.mjs";
import { follow, showPreview } from "./frame/preview.mjs";
import { changeBetween } from "./frame/changes.mjs";
import { bringIntoView, goOn, inPlace, listenToPanes, showPane } from "./frame/panes.mjs";
import { presetsOf } from "./privacy/presets.mjs";
import { gravest, togetherOf } from "./privacy/together.mjs";
import { offerPublishing } from "./frame/publishing.mjs";
import { added, listOfQuestions, questionsOf, titleOf, turned } from "./questions.mjs";
import { fileForm } from "./showing/file.mjs";
import { routesForm } from "./showing/routes.mjs";
import { studyForm, surveyForm } from "./survey.mjs";
import { openIn, translationsForm } from "./translating/table.mjs";
import { offerTranslations } from "./translating/taking.mjs";

/** @typedef {import("./state.d.ts").Edit} Edit */
/** @typedef {import("./state.d.ts").Path} Path */
/** @typedef {import("./state.d.ts").Shown} Shown */
/** @typedef {import("./state.d.ts").State} State */
/** @typedef {import("./state.d.ts").Table} Table */

const PARTS = /** @type {const} */ (["survey", "study", "privacy", "translations", "routes", "file"]);
const FORMS = {
  survey: surveyForm,
  study: studyForm,
  privacy: privacyForm,
  translations: (/** @type {Shown} */ now) =>
    translationsForm(now, {
      confirm: (name, language) => void design.send("confirm", { name, language }, "The translation is taken as that of the original."),
      take: () => offerTranslations(design),
    }),
  routes: (/** @type {Shown} */ now) => routesForm(now, choose, draw),
  file: (/** @type {Shown} */ now) => fileForm(now, toField, draw),
};
const DISGUISED = 3; // the part of a question's form above which its privacy is chosen
const SHOW = "Show the new state";
const PAUSE = 5000; // milliseconds between looks at the file

let chosen = 0;
/** What the form is of. @type {typeof PARTS[number] | "questions"} */
let part = "questions";
/** The names of the questions that are shown. @type {string[]} */
let names = [];
/** What is there in place of our design. @type {State | null} */
let other = null;

const design = new Design(show, refuse, (isBusy) => element("main").setAttribute("aria-busy", String(isBusy)));

/** @param {State} state @param {string} said */
function show(state, said) {
  const questions = questionsOf(state.document);
  chosen = Math.max(0, Math.min(chosen, questions.length - 1));
  const now = questions.map((each) => String(each.name));
  const gone = keepWith(names, now);
  names = now;
  inPlace(() => {
    draw();
    if (!said) return; // something was refused, and the notice says what
    say(said);
    if (!other) element("notice").hidden = true;
  });
  goOn();
  if (gone.length) notice(`The question is gone. What you typed there was: ${gone.join("; ")}`, "");
}

/** Let what was refused follow its question. @param {string[]} before - Names of the questions. @param {string[]} now @returns {string[]} What has no question any more. */
function keepWith(before, now) {
  if (before.length === now.length && before.every((each, index) => each === now[index])) return [];
  const isRenamed = before.length === now.length && before.filter((each, index) => each !== now[index]).length === 1;
  return isRenamed
    ? []
    : rename((id) => {
        const [, form, index, rest] = /^([ft])\.questions\.(\d+)(\..*)$/.exec(id) ?? [];
        if (index === undefined) return id;
        const to = now.indexOf(before[Number(index)] ?? "");
        return to < 0 ? null : `${form}.questions.${to}${rest}`;
      });
}

/** Load what is there in place of our design, if anything is. */
async function loadOther() {
  const there = other;
  other = null;
  element("notice").hidden = true;
  if (!there) return;
  const to = questionsOf(there.document).findIndex((each) => String(each.name) === names[chosen]);
  if (to >= 0) chosen = to;
  await design.take(there, "Loaded.");
}

/** The languages that a document says, or English. @param {Table} document @returns {string[]} */
const languagesOf = (document) =>
  Array.isArray(document.languages) && document.languages.length ? document.languages.map(String) : ["en"];

/** @returns {Shown} */
function shown() {
  const { state } = design;
  const languages = languagesOf(state.document);
  return {
    state,
    languages,
    edit: (edits, said, from) => {
      const there = edits.filter((edit) => edit.op !== "delete" || at(state.document, edit.path) !== undefined);
      if (!there.length) return draw();
      const all = there.flatMap((edit) =>
        edit.op === "set" && edit.path[0] === "languages" && Array.isArray(edit.value)
          ? [/** @type {Edit} */ ({ op: "languages", path: edit.path, value: edit.value.map(String).filter(Boolean) })]
          : [pruned(edit, state.document)],
      );
      void design.edit(all, said, from);
    },
  };
}

/** A deletion that also drops the table that it would leave empty. @param {Edit} edit @param {Table} document @returns {Edit} */
function pruned(edit, document) {
  if (edit.op !== "delete") return edit;
  const above = edit.path.slice(0, -1);
  const table = at(document, above);
  const isKept = above.length === 0 || ((above[0] === "questions" || above[0] === "groups") && above.length === 2);
  return isKept || !isTable(table) || Object.keys(table).some((key) => key !== edit.path.at(-1))
    ? edit
    : pruned({ op: "delete", path: above }, document);
}

function draw() {
  const now = shown();
  const { state } = now;
  const questions = questionsOf(state.document);
  const question = questions[chosen] ?? null;
  element("title").textContent = state.path ?? "A new survey";
  element("fix").textContent = toFix(state.problems.length);
  element("fix").hidden = !state.problems.length || state.blank;
  element("publish").classList.toggle("plain", state.problems.length > 0 || gravest(state) !== undefined);
  for (const way of /** @type {const} */ (["undo", "redo"])) element(way).setAttribute("aria-disabled", String(!state[way]));
  drawList(now);
  preview(); // it is loaded while the rest is drawn
  drawForm(question, now);
  markPointed();
  drawCost();
  drawBalance();
  const respondents = /** @type {HTMLInputElement} */ (element("respondents"));
  if (respondents !== document.activeElement) respondents.value = String(design.respondents);
}

/** Draw what came without an edit: under one it would put back what was chosen, and after one all is drawn. */
const drawIdle = () => void (design.isBusy || draw());

/** Draw the list, and what stands above it. @param {Shown} now */
function drawList(now) {
  for (const each of PARTS) {
    const tab = element(`tab.${each}`);
    if (each === part) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
    const { problems, lints } = now.state;
    const said = [...problems, ...lints.filter(({ severity }) => severity !== "note")].filter((one) => partFor(one) === each);
    const count = now.state.blank ? 0 : said.length + (each === "translations" ? openIn(now.state.translations) : 0);
    const mark = made("span", { className: "mark" }, String(count), made("span", { className: "hidden" }, " to look at"));
    tab.replaceChildren(each.charAt(0).toUpperCase() + each.slice(1), ...(count ? [" ", mark] : []));
  }
  update(element("list"), listOfQuestions(now, hands()));
  drawMenu(now, hands(), { below: (index) => void add(index + 1), copy: (index) => void copy(index), kind: toKind });
}

/** What the list does with its questions. */
const hands = () => ({
  chosen,
  isOpen: part === "questions",
  choose,
  follow: (/** @type {number} */ index) => {
    chosen = index;
    part = "questions";
  },
  open: (/** @type {number} */ index) => openMenu(index, draw),
});

/** Draw the form of what is chosen; others are drawn once they are. @param {Table | null} question @param {Shown} now */
function drawForm(question, now) {
  element("form").hidden = part !== "questions";
  for (const each of PARTS) element(each).hidden = each !== part;
  if (part === "questions") {
    const none = [made("p", { id: "none" }, "There is no question yet: add one, or begin with an example.")];
    if (now.state.blank) none.push(blankForm("start", (body) => void beginBlank(body)));
    return update(element("form"), question ? questionForm(question, now) : none);
  }
  const worst = part === "privacy" ? gravest(now.state) : null; // it stands above
  const isMine = (/** @type {Path} */ _, /** @type {import("./state.d.ts").Problem} */ said) => partFor(said) === part && said !== worst;
  const title = made("h2", { id: `${part}.title`, tabIndex: -1 }, element(`tab.${part}`).firstChild?.textContent ?? "");
  const above = part === "privacy" ? togetherOf("together.privacy", now.state, remedyAt("together.privacy")) : [];
  const faults = now.state.problems.filter((each) => part === "survey" || partFor(each) === part);
  update(element(part), [title, ...summaryOf(`fix.${part}`, faults, toField), ...above, ...remarksOn(design, isMine, `remarks.${part}`), ...FORMS[part](now, drawIdle)]);
}

/** What makes the button that does what a remark on the whole response says. @param {string} id - Of what it stands in. */
const remedyAt = (id) => (/** @type {import("./state.d.ts").Lint} */ lint) => remedyOf(design, lint, `${id}.mend`);

/** Where something that is said of the file is shown: privacy decides what a whole response tells. @param {import("./state.d.ts").Problem} said */
const partFor = ({ path, place }) => (place === "whole response" ? "privacy" : partOf(String(path[0])));

/** Where a part of the file is shown. @param {string} first - Of its path. @returns {typeof PARTS[number] | "questions"} */
function partOf(first) {
  if (first === "questions" || first === "study") return first;
  return ["groups", "privacy", "sampling"].includes(first) ? "privacy" : "survey";
}

/** Draw what the design costs. */
function drawCost() {
  const now = shown();
  update(element("promise"), promiseOf(questionsOf(now.state.document)[chosen] ?? null, now));
  update(element("cost"), costOf(questionsOf(now.state.document)[chosen] ?? null, now, drawCost));
}

/** Draw the picture and the slider, which change more often than the design. */
function drawBalance() {
  const now = shown();
  const question = questionsOf(now.state.document)[chosen];
  update(element("balance"), balanceOf(question && figuresOf(question, now)[0], now, drawBalance));
}

/** @param {Table} question @param {Shown} now @returns {Node[]} */
function questionForm(question, now) {
  const path = ["questions", chosen];
  const choices = Object.entries(KINDS).map(
    ([kind, { title, about }]) => /** @type {[string, string]} */ ([kind, `${title} (${about})`]),
  );
  const kind = picker("kind", choices, String(question.kind ?? ""), () => undefined);
  const change = button("kind.change", "Change the kind", () => {
    const to = /** @type {HTMLSelectElement} */ (element("kind")).value;
    now.edit(turned(question, path, to, now), `It is now: ${KINDS[to]?.title}.`);
  });
  const privacy = [...presetsOf(chosen, now, drawIdle), ...togetherOf("together.question", now.state, remedyAt("together.question"))];
  const mine = (/** @type {Path} */ each) => each[0] === "questions" && each[1] === chosen;
  return [
    made("h2", { id: "form.title", dir: "auto", tabIndex: -1 }, `${chosen + 1}. ${titleOf(question, now.languages)}`),
    ...summaryOf("fix.question", now.state.problems.filter(({ path: each }) => mine(each)), toField),
    ...remarksOn(design, mine, "remarks.question"),
    made("div", { className: "row" }, labelled("Kind", kind), change),
    ...formOf(partsOf(String(question.kind)), path, now).flatMap((each, place) => (place === DISGUISED ? [...privacy, each] : [each])),
  ];
}

/** Go to the field of what is to be fixed. @param {import("./state.d.ts").Problem} problem */
function toField(problem) {
  const to = partFor(problem);
  if (to === "questions") chosen = Number(problem.path[1] ?? chosen);
  if (part !== to || to === "questions") open(to);
  const control = fieldOf(problem.path, design.state.document) ?? element(to === "questions" ? "form.title" : `${to}.title`);
  control.focus();
  control.scrollIntoView({ block: "nearest" });
}

/** Show all that is to be fixed. */
function toSummary() {
  open("survey");
  document.getElementById("fix.survey.0")?.focus();
}

/** Show the form of a question. @param {number} index */
function choose(index) {
  chosen = index;
  pointTo("");
  open("questions");
}

/** Show the form of a part of the file. @param {typeof part} to */
function open(to) {
  part = to;
  if (!design.isBusy) draw();
  bringIntoView(part === "questions" ? `q.${chosen}` : `tab.${part}`);
  showPane("form", part === "questions" ? "form.title" : `${part}.title`);
}

/** Add a question, and go where its words are typed. @param {number} index - Its place. */
async function add(index) {
  const edits = added(/** @type {HTMLSelectElement} */ (element("new-kind")).value, index, shown());
  const { length } = questionsOf(design.state.document);
  await design.edit(edits, `Question ${index + 1} is added.`);
  if (questionsOf(design.state.document).length > length) toLabel(index);
}

/** Begin with a blank survey, and go where the words of its question are typed. @param {object} body */
async function beginBlank(body) {
  hands().follow(0);
  await design.send("begin", body, "Begun with a blank survey. Undo brings back what was there.");
  if (questionsOf(design.state.document).length) toLabel(0);
}

/** Copy a question below itself, and go where the copy gets words of its own. @param {number} index */
async function copy(index) {
  const { length } = questionsOf(design.state.document);
  await design.edit([{ op: "duplicate", path: ["questions", index] }], `Question ${index + 1} is copied. Change the words of the copy.`);
  if (questionsOf(design.state.document).length > length) toLabel(index + 1);
}

/** Type the words of a question. @param {number} index */
function toLabel(index) {
  choose(index);
  const label = document.getElementById(`f.questions.${index}.label.${shown().languages[0]}`);
  if (!(label instanceof HTMLInputElement)) return;
  label.focus();
  label.select();
}

/** Go where the kind of a question is changed. @param {number} index */
function toKind(index) {
  choose(index);
  element("kind").focus();
}

/** Show what is edited in the preview. */
function preview() {
  showPreview(design.state.preview, names, part === "questions" ? chosen : -1, point);
}

/** Go to the field of what is clicked in the preview; that of an answer is only brought into view, as the answer is tried. @param {import("./frame/preview.mjs").Spot} spot */
function point(spot) {
  if (spot.index !== chosen || part !== "questions") {
    follow(spot.index);
    choose(spot.index);
  }
  const control = controlOf(spot);
  if (!control) return;
  if (spot.key === "answers") {
    pointTo(control.id);
    control.scrollIntoView({ block: "nearest" });
    return;
  }
  showPane("form", control.id);
  control.focus();
}

/** @param {string} problem @param {State | null} state */
function refuse(problem, state) {
  other = state;
  notice(state ? changed(state) : problem, state ? SHOW : "");
}

/** @param {State} state */
const changed = ({ disk }) => `Another ${disk === "changed" ? "program" : "window"} changed this survey.${refused().length ? " Your words are kept." : ""}`;

/** Load what is there, and send again what was refused. */
async function saveMine() {
  await loadOther();
  for (const [id] of refused()) document.getElementById(id)?.dispatchEvent(new Event("change", { bubbles: true }));
}

/** @param {string} words @param {string} offer - What the button says; none without. */
function notice(words, offer) {
  const close = () => (element("notice").hidden = true);
  const load = () => {
    void loadOther();
    element("title").focus();
  };
  update(element("notice"), [
    made("p", { id: "notice.words" }, words),
    made(
      "div",
      { className: "row" },
      offer && button("notice.load", offer, load),
      offer && refused().length > 0 && button("notice.save", "Save mine too", () => void saveMine()),
      button("notice.close", "Close", close, { className: "plain" }),
    ),
  ]);
  element("notice").hidden = false;
}

/** Look whether the file or the design was changed elsewhere. */
async function look() {
  if (document.hidden || design.isBusy || other) return;
  const answer = await fetch("./state", { cache: "no-store" }).catch(() => null);
  if (!answer?.ok) return notice("The designer does not answer: it was stopped. Start respondent design again.", "");
  const state = /** @type {State} */ (await answer.json());
  if (design.isBusy || state.version <= design.state.version) return; // it may have been asked for before an edit
  other = state;
  notice(changed(state), SHOW);
}

/** @param {"undo" | "redo"} way */
function step(way) {
  const from = chosen;
  const said = (/** @type {Table} */ before) => {
    const after = design.state.document;
    const { words, places } = way === "undo" ? changeBetween(after, before) : changeBetween(before, after);
    const index = places[way === "undo" ? 0 : 1];
    if (index >= 0) hands().follow(Math.min(index, questionsOf(after).length - 1));
    return `${way === "undo" ? "Undone" : "Done again"}: ${words}.`;
  };
  if (design.state[way]) void design.send(way, {}, said).then(() => chosen !== from && bringIntoView(`q.${chosen}`));
  else say(way === "undo" ? "There is nothing to undo." : "There is nothing to do again.");
}

function listen() {
  design.queue(element("work"));
  listenToPanes(() => (part === "questions" ? (questionsOf(design.state.document).length ? `q.${chosen}` : "add") : `tab.${part}`));
  element("work").addEventListener("resend", async ({ target }) => {
    const { id } = /** @type {HTMLElement} */ (target);
    const index = Number(/^[ft]\.questions\.(\d+)\./.exec(id)?.[1] ?? -1);
    const name = names[index];
    await loadOther();
    const to = index < 0 ? id : id.replace(/\d+/, String(names.indexOf(name ?? "")));
    document.getElementById(to)?.dispatchEvent(new Event("change", { bubbles: true }));
  });
  element("work").addEventListener("discard", async ({ target }) => {
    forget(/** @type {HTMLElement} */ (target).id);
    await loadOther();
    draw();
  });
  addEventListener("beforeunload", (event) => refused().length && event.preventDefault());
  element("undo").onclick = () => step("undo");
  element("redo").onclick = () => step("redo");
  element("begin").onclick = () => void offerBeginnings(design, () => hands().follow(0), beginBlank);
  element("fix").onclick = toSummary;
  element("publish").onclick = () => void offerPublishing(design);
  element("add").onclick = () => void add(questionsOf(design.state.document).length);
  for (const each of PARTS) element(`tab.${each}`).onclick = () => open(each);
  const respondents = /** @type {HTMLInputElement} */ (element("respondents"));
  respondents.onchange = () => {
    design.respondents = Math.max(1, Math.round(Number(respondents.value)) || 1);
    void design.load(`Figures are for ${design.respondents} people.`);
  };
  addEventListener("keydown", (event) => {
    const isTyping =
      event.target instanceof HTMLElement &&
      event.target.matches("input:not([type=checkbox], [type=radio], [type=range]), textarea");
    if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || isTyping) return;
    event.preventDefault();
    step(event.shiftKey ? "redo" : "undo");
  });
  setInterval(() => void look(), PAUSE);
}

update(
  element("new-kind"),
  Object.entries(KINDS).map(([kind, { title }]) => made("option", { value: kind }, title)),
);
listen();
void design.load("");
