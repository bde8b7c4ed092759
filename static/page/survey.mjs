/**
 * The page: it asks one question at a time, and shows what static/disguise/visit.mjs makes of the answers and sends.
 *
 * The response is frozen as the last screen is left: the answers are forgotten, and one string of bytes is left.
 */

import { openVisit } from "../disguise/visit.mjs";
import { tellOdds } from "./card.mjs";
import { askedOf, toldCode } from "./odds.mjs";
import { all, isolated, collect, complain, element, fill, headingOf, language, made, row, told } from "./questions.mjs";
import { go, openScreens, place, settle, show, vanish } from "./screens.mjs";
import { buildPart, screensOf } from "./sections.mjs";
import { codeWords, valueWords } from "./words.mjs";

const form = element("survey");
const broken = element("late").textContent; // shown by the page itself where no script comes

let texts;
let questions; // asked here, with their odds
let parts; // the screens
let full; // values that take no more responses
let visit;
const HASTE = 5000; // milliseconds in which three presses of Shift mean Exit
const SHOWN = 16; // digits of the fingerprint
/** Of a survey by invitation. */ let invitation = null;
let [agreed, changing, sending, over] = [false, false, false, false];
let [check, last] = [0, 0]; // the numbers of the screens that show all answers, and what is locked
/** When Shift was pressed, the last times in a row. */ let shifts = [];

try {
  const data = JSON.parse(element("data").textContent);
  ({ full, texts } = data);
  visit = await openVisit(data.address, data.fingerprint, designText());
  const screens = screensOf(visit.asked);
  const screenOf = (name) => screens.findIndex((each) => each.questions.includes(name));
  texts.intervals = data.intervals;
  questions = askedOf(visit.asked, (each) => valueWords(each, screens[screenOf(each.name)], language, texts), (name) => screenOf(name) + 1);
  parts = await Promise.all(
    screens.map((screen, at) => {
      const section = screens.slice(0, at + 1).findLast((each) => each.section)?.section[language];
      const count = fill(texts.count, { number: at + 1, all: screens.length });
      const asks = questions.filter(({ number }) => number === at + 1);
      return buildPart(screen, asks, section ? `${isolated(section)} \u00b7 ${count}` : count, texts);
    }),
  );
  if (visit.verified) element("fingerprint").textContent = `${data.fingerprint.slice(0, SHOWN)}\u2026`;
  element(visit.verified ? "unverified" : "verified").remove();
  if (data.pictures) await (await import("./pictures.mjs")).showPictures(visit.asked, parts, data.pictures);
  if (element("invitation")) invitation = await import("./invitation.mjs");
  await tellOdds(questions, parts, texts);
  await open();
} catch (error) {
  element("waiting").textContent = broken; // and stay closed
  throw error;
}

/** The design as it was published: in HTML its "<" are escaped. */
function designText() {
  return element("design").textContent.replace(/\\(?:u003c|.)/g, (escape) => (escape === "\\u003c" ? "<" : escape));
}

/** Let people in. */
async function open() {
  const screens = parts.map(({ section }) => section);
  last = (check = screens.length + 1) + 1;
  openScreens([element("card"), ...screens, element("check"), element("preview") ?? element("locked")], dress, back);
  element("check").before(...screens);
  form.addEventListener("submit", (event) => (event.preventDefault(), void next()));
  element("next").onclick = ({ detail }) => detail < 2; // a double press is one
  element("start").onclick = agree;
  element("back").onclick = back;
  if (element("exit")) {
    Object.assign(element("exit"), { onclick: exit, title: texts.exit });
    onkeydown = count;
  }
  // another language takes the place of this page in the history
  for (const link of all("header nav a"))
    link.onclick = () => (location.replace(link.href), false);
  addEventListener("beforeunload", (event) => agreed && !over && !visit.body() && event.preventDefault()); // answers would go
  onpagehide = () => document.body.replaceChildren(); // a browser may keep a page that was left
  onpageshow = ({ persisted }) => persisted && location.reload();
  for (const button of all("[data-leave]")) button.onclick = () => end("left");
  element("copy").onclick = () => void copy();
  for (const button of all("[data-delete]")) button.onclick = () => void remove(button);
  for (const control of all("input, button")) control.removeAttribute("disabled");
  element("waiting").remove();
  if (!visit.body()) invitation?.take();
  if (location.hash) history.replaceState(history.state, "", location.pathname + location.search);
  if (!visit.body()) return;
  await (await import("./restored.mjs")).askWhose(visit, texts);
  agreed = true;
  lock();
  go(last);
}

/** Begin, where the invitation has the form of one. */
function agree() {
  if (invitation?.complain(texts)) return;
  agreed = true;
  move(1);
}

/** Where our moves may lead. */
function allowed(wish) {
  if (visit.body()) return last;
  if (!agreed) return 0;
  const { applies, open } = collect(parts);
  const most = open < 0 ? check : open + 1;
  const next = applies.findIndex((met, at) => met && at + 1 >= wish); // a screen that does not apply is left out
  return Math.min(wish < 1 ? wish : next < 0 ? check : next + 1, most);
}

function move(next) {
  go(allowed(next));
}

/** Show the screen before, or what is checked where one answer is changed; whether there is any. */
function back() {
  if (over || visit.body()) return false;
  let wish = changing ? check : place() - 1;
  while (wish > 0 && allowed(wish) !== wish) wish -= 1;
  changing = false;
  if (wish >= 0) show(wish);
  return wish >= 0;
}

/** Set the buttons around the screen, and no complaint. */
function dress() {
  if (over) return;
  const [at, final] = [place(), place() >= (element("preview") ? last : check)];
  form.hidden = at === 0;
  for (const nav of all("nav")) nav.hidden = at > 0;
  element("back").hidden = Boolean(visit.body());
  element("leave").hidden = at < check;
  element("next").textContent = final ? texts.send : at === check ? texts.see : texts.next;
  element("summary").hidden = element("failure").hidden = true;
  if (at === check && !visit.body()) listAnswers();
}

/** What the button under every screen does. */
async function next() {
  const at = place();
  if (over || sending || at === 0) return;
  if (at < check) return complain(parts[at - 1]) || step(at);
  if (!visit.body() && !freeze()) return;
  if (at === check) go(last);
  if (at > check || !element("preview")) return send();
}

function step(at) {
  const answers = parts[at - 1].read();
  if (Object.entries(full ?? {}).some(([name, values]) => values.includes(answers[name]))) return end("full");
  move(changing ? check : at + 1);
  changing = false;
}

/** Every answer, with a way back. */
function listAnswers() {
  const { applies } = collect(parts);
  const rows = parts.flatMap((part, number) => (applies[number] ? told(part) : []).map(([term, words]) => {
    const button = made("button", texts.change, { className: "link", type: "button" });
    button.append(made("span", ` ${term}`, { className: "unseen" }));
    button.onclick = () => ((changing = true), move(number + 1));
    const definition = made("dd", words);
    definition.append(button);
    return row(term, definition);
  }));
  element("answers").replaceChildren(...rows);
}

/** Turn the answers into what is sent, once, and forget them. Whether it could be done. */
function freeze() {
  try {
    visit.freeze(collect(parts).answers, invitation?.written());
  } catch (error) {
    fail("broken"); // nothing is sent
    throw error;
  }
  lock();
  return true;
}

/** Forget the answers; show what is sent in their place. */
function lock() {
  form.reset();
  element("answers").replaceChildren();
  for (const control of all("[data-question] :is(input, button)")) control.setAttribute("disabled", "");
  const { codes } = JSON.parse(visit.body() ?? "");
  if (!element("bytes")) return;
  element("bytes").textContent = visit.body();
  const rows = questions.map((each) => {
    const code = codes[each.question.name];
    const answer = codeWords(each.question, code, each.words, texts);
    const definition = made("dd", fill(texts.sent, { answer }));
    definition.append(made("p", toldCode(each, code, texts)));
    return row(headingOf(each, parts[each.number - 1].screen), definition);
  });
  element("codes").replaceChildren(...rows);
}

/** Send the frozen response; then forget everything, and say thank you. */
async function send() {
  if (invitation?.written() && invitation.complain(texts)) return;
  sending = true;
  element("failure").hidden = true;
  element("next").setAttribute("aria-disabled", "true");
  element("progress").textContent = texts.sending;
  if (invitation?.renew(visit)) lock();
  const outcome = await visit.send();
  sending = false;
  if (over) return;
  element("next").removeAttribute("aria-disabled");
  element("progress").textContent = "";
  if (outcome !== "done") return fail(outcome);
  element("receipt").textContent = JSON.parse(visit.body() ?? "").receipt;
  end("thanks");
}

function fail(outcome) {
  const [failure, recode] = [element("failure"), invitation && outcome.endsWith("-invitation")];
  const again = recode || outcome === "offline";
  if (recode) failure.before(element("invited"));
  element("failure-reason").textContent = texts[outcome] ?? (outcome === "broken" ? broken : texts.refused);
  element("failure-remedy").textContent = recode ? texts.recode : again ? texts.kept : "";
  element("next").hidden = !again;
  if (again) element("next").textContent = texts.again;
  element("leave").hidden = false;
  failure.hidden = false;
  failure.focus();
}

/** Forget everything, and show an empty page, from which Back does not return. */
function exit(event) {
  event.preventDefault();
  onkeydown = null;
  over = true;
  visit.forget();
  vanish(element("exit").href);
}

/** Exit for those whose hands are on the keyboard. */
function count(event) {
  if (event.repeat) return;
  shifts = event.key === "Shift" ? [...shifts.slice(-2), event.timeStamp] : [];
  if (shifts.length === 3 && shifts[2] - shifts[0] < HASTE) exit(event);
}

/** Leave only one closing screen. */
function end(id) {
  over = true;
  visit.forget();
  form.reset();
  form.remove();
  element("card").remove();
  element(id).hidden = false;
  settle(element(id));
}

/** Copy the receipt, or else select it. */
async function copy() {
  const receipt = element("receipt");
  getSelection()?.selectAllChildren(receipt);
  await navigator.clipboard?.writeText(receipt.textContent).then(() => (element("receipt-status").textContent = texts.copied), () => {});
}

/** Delete the response of a receipt. */
async function remove(button) {
  const source = element(button.dataset.delete ?? "");
  const receipt = (source.value ?? source.textContent).trim();
  const status = element(`${source.id}-status`);
  status.textContent = texts.sending;
  const outcome = await visit.remove(receipt);
  const said = { done: texts.deleted, offline: texts.offline, closed: texts.closed };
  status.textContent = said[outcome] ?? texts.unknown;
  if (outcome === "done") button.remove();
}
