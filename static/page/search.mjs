/** A box above a long list of answers that leaves in sight those which hold what is typed, and what is chosen. */

import { fill, made } from "./questions.mjs";
export function addSearch(fieldset, name, texts) {
  const box = made("p", "", { className: "number" });
  const input = made("input", "", { type: "search", id: `q-${name}-search`, disabled: true, autocomplete: "off" });
  const status = made("span", "");
  status.setAttribute("role", "status");
  box.append(made("label", texts.search, { htmlFor: input.id }), input, status);
  fieldset.append(box);
  const simple = (text) => (text ?? "").normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  input.oninput = () => {
    const choices = [...fieldset.querySelectorAll(".choice")];
    for (const each of choices) each.hidden = !simple(each.textContent).includes(simple(input.value).trim()) && !each.querySelector(":checked");
    status.textContent = fill(texts.found, { count: choices.filter((each) => !each.hidden).length });
  };
  input.onkeydown = (event) => event.key !== "Enter"; // which would go on to the next screen
}
