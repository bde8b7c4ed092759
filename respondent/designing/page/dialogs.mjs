/** Remarks where they arise, each with its reason; and dialogs: what mending changes, beginnings, and publishing. */

import { labelled, picker } from "./controls.mjs";
import { begunWith } from "./frame/begun.mjs";
import { blankForm } from "./frame/blank.mjs";
import { ask, Refusal } from "./design.mjs";
import { button, element, made, say } from "./parts.mjs";
import { pricedRemedy } from "./privacy/remedy.mjs";

/** @typedef {import("./state.d.ts").Lint} Lint */
/** @typedef {import("./state.d.ts").Problem} Problem */
/** @typedef {import("./state.d.ts").Path} Path */
/** @typedef {import("./design.mjs").Design} Design */

const SEVERITIES = /** @type {Record<string, string>} */ ({ note: "Note", warn: "Look at this", refuse: "This is refused" });
const UPLOADS = /** @type {[string, string][]} */ ([
  ["surveyjs", "SurveyJS (JSON)"],
  ["xlsform", "XLSForm (XLSX)"],
  ["table", "A published table (CSV)"],
]);
const LARGEST = 20_000_000; // bytes of a file
const BLOCK = 0x8000; // bytes that are turned into characters at once

/**
 * The remarks on a part of the design.
 *
 * @param {Design} design
 * @param {(path: Path, said: Problem) => boolean} isMine
 * @param {string} id - Of the list.
 * @returns {Node[]}
 */
export function remarksOn(design, isMine, id) {
  const lints = design.state.lints
    .filter((each) => isMine(each.path, each))
    .map((each, index) => {
      const words = made("b", {}, `${SEVERITIES[each.severity] ?? each.severity}: `);
      return made("li", { className: each.severity }, words, wordsOf(each), " ", remedyOf(design, each, `${id}.mend${index}`));
    });
  return lints.length ? [made("ul", { id, className: "remarks" }, ...lints)] : [];
}

/** The button that does what the remedy of a remark says. @param {Design} design @param {Lint} lint @param {string} id */
export const remedyOf = (design, lint, id) => pricedRemedy(design.state, lint, id, (mend) => void showMend(design, mend.id, mend.label));

/** @param {Problem} said */
const wordsOf = ({ place, words }) => `${place.charAt(0).toUpperCase()}${place.slice(1)}. ${words}`;

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
function showMend(design, id, label) {
  return tried(design, async () => {
    const { diff, cost } = /** @type {{diff: string, cost: string}} */ (
      await ask(`mend?respondents=${design.respondents}`, { version: design.state.version, mend: id, apply: false })
    );
    openDialog(
      dialog(),
      label,
      [
        made("p", { id: "mend.cost" }, cost),
        made("p", {}, "This changes the file. Undo takes it back."),
        made(
          "details",
          {},
          made("summary", { id: "dialog.file" }, "Show the file"),
          made("pre", { tabIndex: 0, "aria-label": "The difference in the file" }, ...linesOf(diff)),
        ),
      ],
      "Apply",
      () => void design.send("mend", { mend: id, apply: true }, `${label}: done. Undo takes it back.`),
    );
  });
}

/**
 * Open the dialog with a title, what it says and one button that does something, if it has one; another closes it.
 * It stays open, with what was typed and the reason, where what the button does is refused.
 *
 * @param {HTMLDialogElement} dialog
 * @param {string} title
 * @param {Node[]} children
 * @param {string} [words] - On the button.
 * @param {() => Promise<void | false> | void} [act] - Returns false where it shows something else in the dialog.
 * @param {string} [look] - Class of the button.
 */
export function openDialog(dialog, title, children, words, act, look = "") {
  const close = () => dialog.close();
  const wrong = made("p", { className: "wrong", id: "dialog.wrong", role: "alert" });
  dialog.replaceChildren(
    made("h2", { id: "dialog.title", tabIndex: -1 }, title),
    ...children,
    wrong,
    made(
      "div",
      { className: "row", id: "dialog.buttons" },
      words && act
        ? button("dialog.act", words, async () => {
            try {
              if ((await act()) !== false) close();
            } catch (error) {
              if (!(error instanceof Refusal)) throw error;
              wrong.textContent = error.message;
            }
          }, { className: look })
        : null,
      button("dialog.close", "Close", close, { className: "plain" }),
    ),
  );
  if (dialog.open) element("dialog.title").focus();
  else dialog.showModal();
  say(title);
}

export const dialog = () => /** @type {HTMLDialogElement} */ (element("dialog"));

/** Do something that the server may refuse, once it has every edit. @param {Design} design @param {() => Promise<void>} act */
export async function tried(design, act) {
  try {
    await design.settled();
    await act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    design.refuse(error.message, error.state);
  }
}

/** Offer beginnings. @param {Design} design @param {() => void} begun @param {(body: object) => Promise<void>} beginBlank */
export function offerBeginnings(design, begun, beginBlank) {
  return tried(design, async () => {
    const known = /** @type {{name: string, title: string, about: string}[]} */ (await ask("beginnings"));
    /** @param {object} body @param {string} words */
    const begin = async (body, words) => {
      dialog().close();
      begun();
      await design.send("begin", body, `${words}. Undo brings back what was there.`);
    };
    const blank = blankForm("begin.new", (body) => {
      dialog().close();
      void beginBlank(body);
    });
    const buttons = known.map(({ name, title, about }) =>
      made(
        "li",
        {},
        button(
          `begin.${name}`,
          `${title}: ${about}`,
          () => void begin({ kind: "example", name }, `Begun with ${title}`),
        ),
      ),
    );
    const kind = picker("begin.kind", UPLOADS, "surveyjs", () => undefined);
    const file = made("input", { id: "begin.file", type: "file" });
    const upload = button("begin.upload", "Begin with this file", () =>
      tried(design, async () => {
        const chosen = file.files?.[0];
        if (!chosen) return void say("Choose a file first.");
        if (chosen.size > LARGEST) throw new Refusal(`${chosen.name} is too large. Files of at most 20 MB fit.`, null);
        const content = base64(new Uint8Array(await chosen.arrayBuffer()));
        dialog().close();
        await design.settled();
        const body = { version: design.state.version, kind: kind.value, name: chosen.name, content };
        const { begun: report, state } = await ask(`begin?respondents=${design.respondents}`, body);
        begun();
        await design.take(state, `Begun with ${chosen.name}. Undo brings back what was there.`);
        showBegun(design, chosen.name, report);
      }),
    );
    openDialog(dialog(), "Begin with", [
      blank,
      made("h3", {}, "An example"),
      made("ul", { className: "beginnings", id: "begin.list" }, ...buttons),
      made(
        "fieldset",
        { id: "begin.other" },
        made("legend", {}, "A file that you have"),
        labelled("What it is", kind),
        labelled("File", file),
        upload,
      ),
    ]);
  });
}

/** Say what became of a file, and ask which answers to disguise. @param {Design} design @param {string} name @param {import("./frame/begun.mjs").Report} report */
function showBegun(design, name, report) {
  const { children, edits } = begunWith(design.state.document, report);
  /** @type {[] | [string, () => void]} */
  const act = edits
    ? [
        "Disguise what is ticked",
        () => {
          const chosen = edits();
          if (chosen.length) void design.edit(chosen, `${chosen.length === 1 ? "1 question is" : `${chosen.length} questions are`} disguised now.`);
        },
      ]
    : [];
  openDialog(dialog(), `Begun with ${name}`, children, ...act);
}

/** Bytes as base64. @param {Uint8Array} bytes */
export function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += BLOCK) text += String.fromCharCode(...bytes.subarray(at, at + BLOCK));
  return btoa(text);
}
