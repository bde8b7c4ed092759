/** Problems and remarks where they arise, each with its reason; and the dialog that shows what mending one would change. */

import { ask, Refusal } from "./design.mjs";
import { button, element, made, say } from "./parts.mjs";

/** @typedef {import("./state.d.ts").Lint} Lint */
/** @typedef {import("./state.d.ts").Problem} Problem */
/** @typedef {import("./state.d.ts").Path} Path */
/** @typedef {import("./design.mjs").Design} Design */

const SEVERITIES = /** @type {Record<string, string>} */ ({ note: "Note", warn: "Look at this", refuse: "This is refused" });

/**
 * What there is to say of a part of the design.
 *
 * @param {Design} design
 * @param {(path: Path) => boolean} isMine
 * @param {string} id - Of the list.
 * @returns {Node[]}
 */
export function remarksOn(design, isMine, id) {
  const problems = design.state.problems
    .filter((each) => isMine(each.path))
    .map((each) => made("li", { className: "wrong" }, made("b", {}, "To mend: "), wordsOf(each)));
  const lints = design.state.lints
    .filter((each) => isMine(each.path))
    .map((each, index) => {
      const { mend } = each;
      return made(
        "li",
        { className: each.severity },
        made("b", {}, `${SEVERITIES[each.severity] ?? each.severity}: `),
        wordsOf(each),
        " ",
        mend && button(`${id}.mend${index}`, mend.label, () => void showMend(design, mend.id, mend.label)),
      );
    });
  return problems.length + lints.length ? [made("ul", { id, className: "remarks" }, ...problems, ...lints)] : [];
}

/** @param {Problem} said */
const wordsOf = (said) => `${said.place}: ${said.problem}; ${said.remedy}.`;

/** The lines of a difference, each marked as added or taken away. @param {string} diff */
function linesOf(diff) {
  return diff.split("\n").map((line) => {
    const tag =
      line.startsWith("+") && !line.startsWith("+++")
        ? "ins"
        : line.startsWith("-") && !line.startsWith("---")
          ? "del"
          : "span";
    return made(tag, {}, `${line}\n`);
  });
}

/** Show what mending changes in the file, and mend once that is wanted. @param {Design} design @param {string} id @param {string} label */
async function showMend(design, id, label) {
  const dialog = /** @type {HTMLDialogElement} */ (element("dialog"));
  try {
    const { diff } = await ask("mend", { version: design.state.version, mend: id, apply: false });
    openDialog(
      dialog,
      label,
      [
        made("p", {}, "The file would change so:"),
        made("pre", { tabIndex: 0, "aria-label": "The difference in the file" }, ...linesOf(diff)),
      ],
      "Apply",
      () => void design.send("mend", { mend: id, apply: true }, `${label}: done. Undo takes it back.`),
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    design.refuse(error.message, error.state);
  }
}

/**
 * Open the dialog with a title, what it says and one button that does something, if it has one; another closes it.
 *
 * @param {HTMLDialogElement} dialog
 * @param {string} title
 * @param {Node[]} children
 * @param {string} [words] - On the button.
 * @param {() => void} [act]
 */
export function openDialog(dialog, title, children, words, act) {
  const close = () => dialog.close();
  dialog.replaceChildren(
    made("h2", { id: "dialog.title" }, title),
    ...children,
    made(
      "div",
      { className: "row", id: "dialog.buttons" },
      words && act
        ? button("dialog.act", words, () => {
            close();
            act();
          })
        : null,
      button("dialog.close", "Close", close, { className: "plain" }),
    ),
  );
  if (!dialog.open) dialog.showModal();
  say(title);
}
