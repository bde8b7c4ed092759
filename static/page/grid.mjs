/** Statements by one scale: each is a group of radios, beside each other where there is room. */

import { language, made, mark } from "./questions.mjs";
import { askChoice, inOrder } from "./sections.mjs";
export async function ask(built, fieldset) {
  const reads = [];
  for (const asked of inOrder([...built.asks], built.screen.shuffle)) {
    const line = made("fieldset", "", { className: "line", id: `q-${asked.question.name}-line` });
    line.append(mark(made("legend", asked.question.label[language]), asked.question.label));
    fieldset.append(line);
    reads.push(await askChoice(built, asked, line));
  }
  return () => Object.assign({}, ...reads.map((read) => read()));
}
