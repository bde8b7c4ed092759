/** Tick all that apply: a box for each option, each a question of its own or all one, and a box that stands for none of them. */

import { AnswerError } from "../disguise/coding.mjs";
import { fill, language } from "./questions.mjs";
import { addChoice, addDecline, addHint, inOrder } from "./sections.mjs";
export function ask({ screen, asks, section, texts }, fieldset) {
  const [{ question: first }] = asks;
  const limits = [screen.least && texts.few, screen.most && texts.many].filter(Boolean).join(" ");
  if (limits) addHint(section, fill(limits, screen));
  const { items } = screen; // of one question: its values are combinations of them
  const options = items ?? asks.map(({ question }) => [question.name, question.label]);
  const boxes = new Map();
  for (const option of inOrder([...options], screen.shuffle)) {
    const [name, label] = option;
    const id = items ? `q-${first.name}-${items.indexOf(option)}` : `q-${name}-0`;
    boxes.set(name, addChoice(fieldset, label[language], { type: "checkbox", id, value: name }, label));
  }
  const none = screen.none && addChoice(fieldset, screen.none[language], { type: "checkbox", id: `q-${first.name}-none` }, screen.none);
  const declined = addDecline(fieldset, first, texts);
  const alone = [...fieldset.querySelectorAll("input")].slice(boxes.size);
  fieldset.addEventListener("change", ({ target }) => {
    const others = alone.includes(target) ? [...boxes.values(), ...alone] : alone;
    for (const each of others) if (each !== target) each.checked = false;
  });
  const every = (answer) =>
    Object.fromEntries(asks.map(({ question: { name } }) => [name, answer(name)]));
  return () => {
    if (declined()) return every(() => "prefer_not_to_say");
    const names = options.map(([name]) => name).filter((name) => boxes.get(name).checked);
    const ticked = names.length;
    if (!ticked && !none?.checked && first.values.includes("no_answer")) return every(() => "no_answer");
    const few = !none?.checked && ticked < Math.max(screen.least ?? 0, none ? 1 : 0);
    const many = ticked > (screen.most ?? ticked);
    if (few || many) throw new AnswerError(first.name, few ? "few" : "many");
    return every((name) => (items ? names.join("+") || "none" : names.includes(name) ? "yes" : "no"));
  };
}
