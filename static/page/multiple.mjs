/** Tick all that apply: a box for each option, each a question of its own, and one that stands for none of them. */

import { AnswerError } from "../disguise/coding.mjs";
import { fill, language } from "./questions.mjs";
import { addChoice, addDecline, addHint, inOrder } from "./sections.mjs";
export function ask({ screen, asks, section, texts }, fieldset) {
  const [{ question: first }] = asks;
  const limits = [screen.least && texts.few, screen.most && texts.many].filter(Boolean).join(" ");
  if (limits) addHint(section, fill(limits, screen));
  const boxes = new Map();
  for (const { question } of inOrder([...asks], screen.shuffle)) {
    boxes.set(question.name, addChoice(fieldset, question.label[language], { type: "checkbox", id: `q-${question.name}-0` }, question.label));
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
    const ticked = asks.filter(({ question }) => boxes.get(question.name).checked).length;
    if (!ticked && !none?.checked && first.values.includes("no_answer")) return every(() => "no_answer");
    const few = !none?.checked && ticked < Math.max(screen.least ?? 0, none ? 1 : 0);
    const many = ticked > (screen.most ?? ticked);
    if (few || many) throw new AnswerError(first.name, few ? "few" : "many");
    return every((name) => (boxes.get(name).checked ? "yes" : "no"));
  };
}
