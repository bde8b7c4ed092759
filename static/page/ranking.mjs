/** Putting a few things in order: one list to choose from for each place. */

import { AnswerError } from "../disguise/coding.mjs";
import { fill, language, made, mark } from "./questions.mjs";
import { addDecline, inOrder } from "./sections.mjs";
export function ask(built, fieldset) {
  const { screen, asks: [{ question }], texts } = built;
  const items = inOrder([...(screen.items ?? [])], screen.shuffle);
  const places = items.map((_, at) => {
    const label = made("label", `${fill(texts.place, { number: at + 1 })} `, { className: "place" });
    const select = made("select", "", { id: `q-${question.name}-${at}`, disabled: true });
    select.append(made("option", "\u2013", { value: "" }), ...items.map(([value, text]) => mark(made("option", text[language], { value }), text)));
    label.append(select);
    fieldset.append(label);
    return select;
  });
  built.faults = () => places.flatMap(({ value, parentElement: row }, at) => {
    const problem = !value ? "missing" : places.findIndex((each) => each.value === value) < at && "order";
    return problem ? [[row, row.firstChild.data.trim(), problem]] : [];
  });
  const declined = addDecline(fieldset, question, texts);
  return () => {
    const order = places.map(({ value }) => value);
    const skipped = question.values.includes("no_answer") && !order.some(Boolean) && "no_answer";
    const answer = declined() || skipped || order.join(">");
    if (!question.values.includes(answer)) throw new AnswerError(question.name, "order");
    return { [question.name]: answer };
  };
}
