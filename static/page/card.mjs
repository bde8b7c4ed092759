/** What the study card says of the odds: one example with its picture, those of every question, and the honest limits. */

import { coinOf, example, limit, totalRatio } from "./odds.mjs";
import { element, fill, made, oddsOf } from "./questions.mjs";

const MANY = Math.exp(8); // times: beyond it a response is hardly hidden

/** What the card says of the odds. */
export async function tellOdds(questions, parts, texts) {
  const disguised = questions.filter(({ group }) => group);
  const some = questions.some(({ screen }) => screen?.ask_if);
  const lone = !some && disguised.every(({ home, screen }) => home.questions.length < 2 && screen?.kind !== "multiple");
  const routes = some && (await import("./rises/routes.mjs"));
  const rise = lone ? undefined : (await import("./rises/family.mjs")).riseAmong(questions, routes);
  const sample = example(questions, texts, rise);
  const open = new Set(questions.filter(({ group }) => !group).map(({ number }) => number));
  const items = (lines) => [...new Set(lines)].map((line) => made("li", line));
  if (open.size) element("open").textContent = fill(texts["all-open"], { numbers: [...open].join(texts.comma) });
  element("example").hidden = !sample;
  if (sample) {
    element("sample").textContent = sample.text;
    element("marked").setAttribute("d", outline(sample.marked));
    element("picture").setAttribute("aria-label", fill(texts.picture, { count: sample.marked }));
  }
  element("every").append(...items(parts.map(oddsOf)));
  const shared = disguised.filter(({ together }) => together.length > 1);
  element("limits").append(...items([...disguised.map((each) => limit(each, texts, rise)), ...shared.map((each) => coinOf(each, texts))]));
  if (!disguised.length) element("limits").parentElement.hidden = true;
  const total = totalRatio(questions);
  const cases = (1 + total) * (1 - 1e-9); // of which a guess is wrong in one
  const digit = cases > 100 ? 10 ** (Math.floor(Math.log10(cases)) - 1) : 1; // rounded up to two digits
  const number = (Math.ceil(cases / digit) * digit).toLocaleString("en");
  element("total").textContent = total > MANY ? texts.vast : fill(texts.total ?? "", { number });
  element("total").hidden = !(total > 1);
}

/** So many of ten rows of ten: whole rows, then what is left of one. */
function outline(marked) {
  const rows = Math.floor(marked / 10);
  return `M0 0H10V${rows}H${marked % 10}V${Math.min(rows + 1, 10)}H0Z`;
}
