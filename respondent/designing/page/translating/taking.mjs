/** A table of translations that comes back: which texts it changes is shown before anything does. */

import { labelled } from "../controls.mjs";
import { ask, Refusal } from "../design.mjs";
import { base64, openDialog } from "../dialogs.mjs";
import { element, made } from "../parts.mjs";
import { placeIn } from "./places.mjs";

/** @typedef {import("../design.mjs").Design} Design */
/** @typedef {{path: import("../state.d.ts").Path, language: string, before: string, after: string}} Change */

const LARGEST = 20_000_000; // bytes of a file
const LISTED = 200; // changes that are shown

/** Ask for a table, show what it changes, and change that once it is wanted. @param {Design} design */
export function offerTranslations(design) {
  const dialog = /** @type {HTMLDialogElement} */ (element("dialog"));
  const file = made("input", { id: "texts.file", type: "file", accept: ".csv,.xlsx" });
  const look = async () => {
    const chosen = file.files?.[0];
    if (!chosen) throw new Refusal("Choose a file first.", null);
    if (chosen.size > LARGEST) throw new Refusal(`${chosen.name} is too large. Files of at most 20 MB fit.`, null);
    const body = { name: chosen.name, content: base64(new Uint8Array(await chosen.arrayBuffer())) };
    const { changes, notes } = /** @type {{changes: Change[], notes: string[]}} */ (
      await ask("translated", { version: design.state.version, ...body })
    );
    const take = () => design.send("translated", { ...body, apply: true }, `${counted(changes)} changed. Undo takes it back.`);
    openDialog(
      dialog,
      changes.length ? `${counted(changes)} will change` : "Nothing changes",
      [...notes.map((each) => made("p", {}, each)), ...(changes.length ? [listOf(changes)] : [made("p", {}, "The table has what the survey has already.")])],
      ...(changes.length ? /** @type {[string, () => void]} */ (["Apply", () => void take()]) : []),
    );
    return false;
  };
  openDialog(
    dialog,
    "Import translations",
    [
      made("p", {}, "Download the texts as CSV or XLSX, translate them there, and import the file. You see what will change first."),
      labelled("File", file, { help: "Empty cells change nothing. Originals are changed here, not in the table." }),
    ],
    "Show what will change",
    look,
  );
}

/** @param {Change[]} changes */
const counted = (changes) => (changes.length === 1 ? "1 text" : `${changes.length} texts`);

/** Each text as it reads, and as it will. @param {Change[]} changes */
function listOf(changes) {
  const rows = changes.slice(0, LISTED).map(({ path, language, before, after }) =>
    made(
      "li",
      {},
      made("b", {}, `${placeIn(path)} (${language})`),
      made("br"),
      ...(before ? [made("del", { lang: language, dir: "auto" }, before), " "] : []),
      made("ins", { lang: language, dir: "auto" }, after),
    ),
  );
  const more = changes.length > LISTED && made("p", {}, `And ${changes.length - LISTED} more.`);
  return made("div", { id: "texts.changes", className: "scrolls", tabIndex: 0, role: "group", "aria-label": "What will change" }, made("ul", {}, ...rows), more);
}
