/** How answers are disguised: groups with a truth each, or one epsilon for all that a person sends; and sampling. */

import { at, isTable, labelled, newGroup, typed, wrongAt } from "./controls.mjs";
import { formOf } from "./form.mjs";
import { button, element, made, unlessSame } from "./parts.mjs";
import { presetsOfGroup, sourceOfPresets } from "./privacy/presets.mjs";
import { presetsOfResponse } from "./privacy/response.mjs";
import { wordsFolded } from "./privacy/words.mjs";
import { questionsOf } from "./questions.mjs";
import { GROUP, PRIVACY, SAMPLING } from "./settings.mjs";

/** @typedef {import("./state.d.ts").Edit} Edit */
/** @typedef {import("./state.d.ts").Shown} Shown */

/** The form. @param {Shown} shown @param {() => void} redraw @returns {Node[]} */
export function privacyForm(shown, redraw) {
  const { document } = shown.state;
  const together = isTable(document.privacy);
  const sampled = formOf([{ title: "Ask each respondent some of the questions", fields: SAMPLING }], ["sampling"], shown);
  const one = formOf([{ title: "One epsilon for a whole response", fields: PRIVACY }], ["privacy"], shown);
  const wrong = together ? [] : wrongAt(shown, ["groups"]);
  return [
    ...presetsOfResponse(shown, redraw),
    ...sampled,
    made(
      "fieldset",
      { id: "way" },
      made("legend", {}, "A finer setting"),
      way("way.groups", "Each group of questions has a strength of its own: a truth probability or an epsilon", !together, () => toGroups(shown)),
      way("way.privacy", "One limit holds for all that a person sends: an epsilon", together, () => toPrivacy(shown)),
      wordsFolded("way.words"),
    ),
    ...(together ? one : []),
    wrong.length > 0 && made("p", { className: "wrong", id: "groups.wrong" }, wrong.join(" ")),
    ...(together ? [] : [...groupForms(shown, redraw), newGroupForm(shown)]),
  ].filter((each) => each !== false);
}

/** @param {string} id @param {string} label @param {boolean} checked @param {() => void} onchange */
function way(id, label, checked, onchange) {
  const control = made("input", { id, type: "radio", name: "way", checked, onchange });
  return made("div", { className: "field flag" }, control, made("label", { htmlFor: id }, label));
}

/** The forms of all groups, of which those are made again that changed. @param {Shown} shown @param {() => void} redraw */
function groupForms(shown, redraw) {
  const { document, problems } = shown.state;
  const groups = isTable(document.groups) ? document.groups : {};
  const questions = questionsOf(document);
  const members = Map.groupBy(questions, (each) => each.group);
  return Object.keys(groups).map((name, index) => {
    const used = (members.get(name) ?? []).map((each) => String(each.name));
    const first = questions.findIndex((each) => each.group === name);
    const wrong = problems.filter(({ path }) => path[0] === "groups" && path[1] === name);
    const presets = sourceOfPresets(`g.${index}.strength`, first, shown, redraw);
    const source = [name, groups[name], used, wrong, presets, Object.keys(groups).length];
    return unlessSame(`g.${index}`, JSON.stringify(source), () => groupForm(index, name, used, first, shown, redraw));
  });
}

/**
 * The form of one group.
 *
 * @param {number} index
 * @param {string} name
 * @param {string[]} used - Questions that it disguises.
 * @param {number} first - The place of the first of them.
 * @param {Shown} shown
 * @param {() => void} redraw
 */
function groupForm(index, name, used, first, shown, redraw) {
  const path = ["groups", name];
  const control = made("input", {
    id: `g.${index}.name`,
    value: name,
    autocomplete: "off",
    spellcheck: false,
    onchange: (/** @type {Event} */ event) =>
      typed(event) && shown.edit([{ op: "rename", path, to: typed(event) }], `Group ${name} is now called ${typed(event)}.`),
  });
  const fields = formOf([{ title: "Settings", fields: GROUP }], path, shown).flatMap((each) => [...each.childNodes].slice(1));
  return made(
    "fieldset",
    { id: `g.${index}` },
    made("legend", {}, `Group ${name}`),
    made("p", { className: "quiet" }, used.length ? `Disguises ${used.join(", ")}.` : "No question has it."),
    ...presetsOfGroup(`g.${index}.strength`, "Privacy of each answer", first, shown, redraw),
    made(
      "details",
      { id: `g.${index}.figures` },
      made("summary", { id: `g.${index}.open` }, "Name, truth probability, epsilon and channel"),
      labelled("Name", control),
      made("div", { className: "languages" }, ...fields),
    ),
    !used.length &&
      button(`g.${index}.remove`, "Remove this group", () => {
        shown.edit([{ op: "delete", path }], `Group ${name} is removed.`);
        element("g.new").focus();
      }),
  );
}

/** @param {Shown} shown */
function newGroupForm(shown) {
  const control = made("input", { id: "g.new", autocomplete: "off", spellcheck: false });
  const add = button("g.add", "Add a group", () => {
    const input = /** @type {HTMLInputElement} */ (element("g.new"));
    const name = input.value.trim();
    if (!name || at(shown.state.document, ["groups", name])) return;
    shown.edit([{ op: "set", path: ["groups", name], value: newGroup() }], `Group ${name} is added.`, input);
  });
  return made(
    "fieldset",
    { id: "g.more" },
    made("legend", {}, "Another group"),
    labelled("Name of the new group", control),
    add,
  );
}

/** @param {Shown} shown */
function toPrivacy(shown) {
  shown.edit([{ op: "preset", path: ["privacy"], value: "balanced" }], "One limit, that of Balanced, for a whole response. Undo brings the groups back.");
}

/** @param {Shown} shown */
function toGroups(shown) {
  const edits = questionsOf(shown.state.document).flatMap((each, index) => {
    if (each.sensitive === false || each.name === undefined) return [];
    const name = String(each.name);
    return /** @type {Edit[]} */ ([
      { op: "set", path: ["questions", index, "group"], value: name },
      { op: "set", path: ["groups", name], value: newGroup() },
    ]);
  });
  shown.edit([{ op: "delete", path: ["privacy"] }, ...edits], "Each question has a group of its own.");
}
