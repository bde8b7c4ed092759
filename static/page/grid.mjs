/** Statements by one scale: each is a group of radios, beside each other where there is room. */

import { language, made, mark } from "./questions.mjs";
import { askChoice, inOrder } from "./sections.mjs";
export async function ask(built, fieldset) {
  const [reads, lines] = [[], []];
  for (const asked of inOrder([...built.asks], built.screen.shuffle)) {
    const line = made("fieldset", "", { className: "line" });
    line.append(mark(made("legend", asked.question.label[language]), asked.question.label));
    fieldset.append(line);
    lines.push(line);
    reads.push(await askChoice(built, asked, line));
  }
  const open = (line) => !line.querySelector(":checked");
  built.faults = () => lines.filter(open).map((line) => [line, line.firstChild.firstChild.data, "missing"]);
  return () => Object.assign({}, ...reads.map((read) => read()));
}
