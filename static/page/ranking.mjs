/** Putting a few things in order: each is tapped in its turn, and has buttons that move it afterwards. */

import { AnswerError } from "../disguise/coding.mjs";
import { isolated, language, made, mark } from "./questions.mjs";
import { addDecline, addHint, inOrder } from "./sections.mjs";

const button = (words, more) => made("button", words, { type: "button", className: "plain", ...more });

export function ask(built, fieldset) {
  const { screen, asks: [{ question }], section, texts } = built;
  const list = made("ol", "", { className: "ranks" });
  const said = made("p", "", { className: "unseen" }); // the new place of what was moved
  said.setAttribute("role", "status");
  let order = []; // the rows that have a place
  const rows = (screen.items ?? []).map(([value, text], at) => {
    const [tap, up, down] = [mark(button("", { id: `q-${question.name}-${at}` }), text), button("\u2191"), button("\u2193")];
    const row = { value, words: isolated(text[language]), line: made("li", ""), tap, up, down };
    row.line.append(tap, up, down);
    tap.onclick = () => place(order.includes(row) ? order.filter((each) => each !== row) : [...order, row], tap, tap);
    [up, down].forEach((move, below) => {
      move.setAttribute("aria-label", `${row.words} ${move.textContent}`);
      move.onclick = () => {
        const first = order.indexOf(row) - 1 + below;
        const [one, other] = order.slice(first, first + 2);
        place([...order.slice(0, first), other, one, ...order.slice(first + 2)], move, tap);
      };
    });
    return row;
  });
  const shuffled = inOrder([...rows], screen.shuffle);
  /** Show an order, with the focus on a button or, where that is gone, on another. */
  const place = (next, focus, other) => {
    order = next;
    for (const { words, line, tap, up, down } of [...order, ...shuffled.filter((each) => !order.includes(each))]) {
      const at = order.findIndex((each) => each.tap === tap);
      tap.textContent = at < 0 ? words : `${at + 1}. ${words}`;
      tap.setAttribute("aria-pressed", String(at >= 0));
      up.hidden = at < 1;
      down.hidden = at < 0 || at === order.length - 1;
      list.append(line);
    }
    said.textContent = other?.textContent ?? "";
    (focus?.hidden ? other : focus)?.focus();
  };
  place([]);
  document.addEventListener("reset", () => place([])); // answers are forgotten
  fieldset.append(list, said);
  addHint(section, texts.tap);
  built.faults = () => [[rows.find((each) => !order.includes(each))?.line ?? section, "", "rank"]];
  const declined = addDecline(fieldset, question, texts);
  return () => {
    const skipped = question.values.includes("no_answer") && !order.length && "no_answer";
    const answer = declined() || skipped || order.map(({ value }) => value).join(">");
    if (!question.values.includes(answer)) throw new AnswerError(question.name, "rank");
    return { [question.name]: answer };
  };
}
