/** Publishing: what is unfinished and what it freezes, into which store, and how the survey is opened to respondents then. */

import { labelled } from "../controls.mjs";
import { ask } from "../design.mjs";
import { dialog, openDialog, remedyOf, tried } from "../dialogs.mjs";
import { made } from "../parts.mjs";
import { gravest, togetherOf } from "../privacy/together.mjs";

/** @typedef {import("../design.mjs").Design} Design */
/** @typedef {{freezes: string[], open: string[], store: string, unfinished: string[]}} Outlook */
/** @typedef {{published: string, version: number, address: string, steps: {words: string, command: string}[]}} Done */

/** @param {string[]} words */
const items = (words) => words.map((each) => made("li", {}, each));

/** Ask before publishing: what it freezes, and into which store. @param {Design} design */
export function offerPublishing(design) {
  return tried(design, async () => {
    const { version } = design.state;
    /** @param {string} [into] @returns {Promise<Outlook>} */
    const outlook = (into) => ask("publish", { version, confirmed: false, ...(into !== undefined && { store: into }) });
    const first = await outlook();
    const list = made("ul", { id: "publish.freezes" }, ...items(first.freezes.slice(1)));
    const becomes = made("p", { id: "publish.becomes" }, first.freezes[0] ?? "");
    const store = made("input", { id: "publish.store", value: first.store, spellcheck: false, autocomplete: "off" });
    store.onchange = () => outlook(store.value.trim()).then(({ freezes }) => (becomes.textContent = freezes[0] ?? ""), () => undefined);
    const open = first.unfinished.length
      ? [made("p", {}, made("b", {}, "Not finished yet")), made("ul", { id: "publish.unfinished" }, ...items(first.unfinished))]
      : [];
    openDialog(
      dialog(),
      "Publish this design?",
      [
        ...togetherOf("publish.together", design.state, (lint) => remedyOf(design, lint, "publish.mend")),
        ...open,
        becomes,
        made("p", { id: "publish.words" }, "After publishing, you cannot change:"),
        list,
        made("p", {}, "You can still change:"),
        made("ul", { id: "publish.open" }, ...items(first.open)),
        labelled("Store", store, { help: "The database file that holds published designs and responses." }),
      ],
      gravest(design.state) ? "Publish all the same" : "Publish",
      async () => {
        showOpening(await ask("publish", { version, confirmed: true, store: store.value.trim() }));
        return false;
      },
      gravest(design.state) ? "plain" : "",
    );
  });
}

/** Say how respondents get to what is published. @param {Done} done */
function showOpening({ published, version, address, steps }) {
  openDialog(dialog(), `Published: ${published}, version ${version}.`, [
    made("p", {}, "No respondent can open it yet. Type these commands in the folder in which you started the designer."),
    made("ol", { id: "publish.steps" }, ...steps.map(({ words, command }) => made("li", {}, `${words}: `, made("code", {}, command)))),
    made("p", { id: "publish.address" }, "While it is served, its address on this computer is ", made("code", {}, address), "."),
    made("p", { className: "quiet" }, "Respondents elsewhere need a server with HTTPS: write its address in place of the example. docs/serving.md says how."),
  ]);
}
