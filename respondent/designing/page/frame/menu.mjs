/** The menu of a question in the list: it is moved, copied, deleted, or gets another kind, and another is added below it. */

import { button, element, update } from "../parts.mjs";
import { choosePreset, mostTold, presetsOfAnswers } from "../privacy/presets.mjs";
import { moveQuestion, questionsOf, removeQuestion, stepOf } from "../questions.mjs";

/** @typedef {import("../questions.mjs").Hands} Hands */
/** @typedef {import("../state.d.ts").Shown} Shown */

const GAP = 4; // pixels between the menu and what opens it

/** The place of the question whose menu it is. */
let at = 0;

/** Open the menu of a question next to the button that opens it. @param {number} index @param {() => void} draw */
export function openMenu(index, draw) {
  at = index;
  draw();
  const menu = element("menu");
  const opener = element(`q.${index}.more`).getBoundingClientRect();
  menu.showPopover();
  const { height, width } = menu.getBoundingClientRect();
  const below = Math.min(opener.bottom + GAP, innerHeight - height - GAP);
  menu.style.top = `${Math.max(GAP, below)}px`;
  menu.style.left = `${Math.max(GAP, opener.right - width)}px`;
  menu.querySelector("button")?.focus();
}

/**
 * Draw the menu for the questions as they are now.
 *
 * @param {Shown} shown
 * @param {Hands} hands
 * @param {{below: (index: number) => void, copy: (index: number) => void, kind: (index: number) => void}} more - Add a question below; add a copy; go to the kind.
 */
export function drawMenu(shown, hands, { below, copy, kind }) {
  const menu = element("menu");
  const questions = questionsOf(shown.state.document);
  const { length } = questions;
  const preset = mostTold(questions[at] ?? {}, shown)?.preset;
  /** @param {string} key @param {string} words @param {() => void} act @param {boolean} [isIdle] */
  const item = (key, words, act, isIdle = false) =>
    button(
      `menu.${key}`,
      words,
      () => {
        if (isIdle) return;
        if (menu.matches(":popover-open")) menu.hidePopover();
        act();
      },
      {
        "aria-disabled": isIdle ? "true" : null,
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          const items = [...menu.children];
          const next = items[stepOf(event.key, items.indexOf(element(`menu.${key}`)), items.length)];
          if (!(next instanceof HTMLElement)) return;
          event.preventDefault();
          next.focus();
        },
      },
    );
  const move = (/** @type {number} */ to) => () => moveQuestion(shown, at, to, hands);
  const [isFirst, isLast] = [at <= 0, at >= length - 1];
  update(menu, [
    item("below", "Add a question below", () => below(at)),
    item("duplicate", "Duplicate", () => copy(at)),
    item("up", "Move up", move(at - 1), isFirst),
    item("down", "Move down", move(at + 1), isLast),
    item("top", "Move to the top", move(0), isFirst),
    item("end", "Move to the end", move(length - 1), isLast),
    item("kind", "Change the kind", () => kind(at)),
    ...presetsOfAnswers(shown).map(({ name, title }) =>
      item(name, `Privacy: ${title}${name === preset ? " ✓" : ""}`, () => choosePreset(at, name, shown), name === preset),
    ),
    item("remove", "Delete", () => removeQuestion(shown, at, hands)),
  ]);
}
