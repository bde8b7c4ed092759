/** Elements: made in one line, and brought up to date in place, so that the focus and what is being typed stay. */

const HANDLERS = /** @type {const} */ ([
  "onclick",
  "onchange",
  "oninput",
  "onkeydown",
  "onsubmit",
  "ondragstart",
  "ondragover",
  "ondragleave",
  "ondragend",
  "ondrop",
  "onpaste",
  "ontoggle",
]);
const DRAWN = "http://www.w3.org/2000/svg";

/** What was last written into a control: whatever else stands in it is being typed. @type {WeakMap<Element, string | boolean>} */
const written = new WeakMap();

/** What a box has to have once nobody is in it: written at once, it would undo the selection of somebody about to type. @type {WeakMap<Element, string>} */
const due = new WeakMap();

/** Controls whose words are not sent yet. @type {Set<Element>} */
const held = new Set();
/** Keep what stands in a control until its turn. @param {Element} control */
export const hold = (control) => held.add(control);
/** Let it be written again. @param {Element} control */
export const release = (control) => held.delete(control);

/** What the server has not taken, by the id of its control, and why; without a reason it is under way. @type {Map<string, {words: string | boolean, reason: string}>} */
const kept = new Map();
/** Keep what stands in a control, though the file has something else. @param {Control} control @param {string} reason */
export function keep(control, reason) {
  const words = control.isConnected ? standsIn(control) : (kept.get(control.id)?.words ?? standsIn(control));
  kept.set(control.id, { words, reason });
}
/** Let a control show again what the file has. @param {string} id */
export const forget = (id) => kept.delete(id);
/** Why the words of a control were refused; empty if they were not. @param {string} id */
export const reasonOf = (id) => kept.get(id)?.reason ?? "";
/** What was refused, with the reasons. */
export const refused = () => [...kept].filter(([, { reason }]) => reason);
/** Give what is kept other ids; without an id it is kept no more, and returned. @param {(id: string) => string | null} idOf @returns {string[]} */
export function rename(idOf) {
  const before = [...kept];
  const gone = /** @type {string[]} */ ([]);
  kept.clear();
  for (const [id, what] of before) {
    const to = idOf(id);
    if (to) kept.set(to, what);
    else if (typeof what.words === "string") gone.push(what.words);
  }
  return gone;
}

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */
/** @typedef {{ [name: string]: any }} More */
/** @typedef {Node | string | null | undefined | false} Child */

/**
 * An element with properties or attributes, and what stands in it; null, undefined and false stand for nothing.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {More} [more]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function made(tag, more = {}, ...children) {
  const element = document.createElement(tag);
  element.append(.../** @type {(Node | string)[]} */ (children.filter((each) => each || each === "")));
  for (const [name, value] of Object.entries(more)) {
    if (value === undefined || value === null || value === false) continue;
    if (name in element && name !== "list") Object.assign(element, { [name]: value });
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  return element;
}

/** Likewise of a drawing. @param {string} tag @param {More} [more] @param {...Child} children @returns {SVGElement} */
export function drawn(tag, more = {}, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(DRAWN, tag));
  for (const [name, value] of Object.entries(more)) if (value !== undefined) element.setAttribute(name, String(value));
  element.append(.../** @type {(Node | string)[]} */ (children.filter(Boolean)));
  return element;
}

/** The element with an id, which must be there. @param {string} id @returns {HTMLElement} */
export function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`there is no ${id}`);
  return found;
}

/** A button. @param {string} id @param {string} words @param {() => void} onclick @param {More} [more] */
export const button = (id, words, onclick, more = {}) => made("button", { id, type: "button", onclick, ...more }, words);

/** Say in the live region what happened. @param {string} words */
export function say(words) {
  element("said").textContent = words;
}

/**
 * Let an element have these children, keeping those that it has already: by id, or by their place where they have none.
 *
 * @param {Element} there
 * @param {Node[]} children
 */
export function update(there, children) {
  const ids = new Set(children.map((child) => (child instanceof Element ? child.id : "")));
  const known = new Map();
  for (const each of [...there.children]) {
    if (each.id && !ids.has(each.id)) each.remove();
    else if (each.id && !known.has(each.id)) known.set(each.id, each);
  }
  let at = there.firstChild;
  for (const child of children) {
    const id = child instanceof Element ? child.id : "";
    const same = id ? (known.get(id) ?? null) : at;
    if (!same || !alike(same, child)) {
      there.insertBefore(child, at);
      note(child);
      continue;
    }
    while (at && at !== same) at = dropped(at, known);
    if (same !== child) patch(same, child);
    at = same.nextSibling;
  }
  while (at) at = dropped(at, known);
}

/** Write down what stands in the controls of a new part. @param {Node} node */
function note(node) {
  if (!(node instanceof Element)) return;
  for (const each of [node, ...node.querySelectorAll("input, select, textarea")]) {
    if (each instanceof HTMLInputElement || each instanceof HTMLSelectElement || each instanceof HTMLTextAreaElement)
      written.set(each, standsIn(each));
    const words = isControl(each) ? kept.get(each.id)?.words : undefined;
    if (words !== undefined) Object.assign(each, { [typeof words === "boolean" ? "checked" : "value"]: words });
  }
}

/** @param {ChildNode} node @param {Map<string, Element>} known - Those that are there, by their ids. @returns {ChildNode | null} - What stood behind it. */
function dropped(node, known) {
  const next = node.nextSibling;
  if (node instanceof Element) known.delete(node.id);
  node.remove();
  return next;
}

/** @param {Node} one @param {Node} other */
function alike(one, other) {
  if (one.nodeName !== other.nodeName) return false;
  if (!(one instanceof Element) || !(other instanceof Element)) return true;
  return one.id === other.id && one.getAttribute("type") === other.getAttribute("type");
}

/** @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} control */
const standsIn = (control) =>
  control instanceof HTMLInputElement && ["checkbox", "radio"].includes(control.type) ? control.checked : control.value;

/** What elements were made from, by their ids. @type {Map<string, string>} */
const sources = new Map();

/**
 * An element: the one that is there, if it was made from the same source and its controls show what was written, or a new one.
 *
 * @template {Element} T
 * @param {string} id
 * @param {string} source - Everything that the element depends on.
 * @param {() => T} make
 * @returns {T}
 */
export function unlessSame(id, source, make) {
  const there = /** @type {T | null} */ (document.getElementById(id));
  const isSame = sources.get(id) === source;
  if (refused().length) sources.delete(id); // it shows reasons, which its source does not have
  else sources.set(id, source);
  const isWritten = () => [...(there?.querySelectorAll("*") ?? [])].every((each) => !isControl(each) || standsIn(each) === written.get(each));
  return there && isSame && isWritten() ? there : make();
}

/** @param {Node} old @param {Node} now */
function patch(old, now) {
  if (!(old instanceof Element) || !(now instanceof Element)) {
    if (old.nodeValue !== now.nodeValue) old.nodeValue = now.nodeValue;
    return;
  }
  for (const { name } of [...old.attributes]) if (!now.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  for (const { name, value } of now.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (old instanceof HTMLElement && now instanceof HTMLElement)
    for (const name of HANDLERS) if (old[name] !== now[name]) Object.assign(old, { [name]: now[name] }); // each assignment takes long, even of nothing
  const standing = isControl(old) ? standsIn(old) : "";
  if (!(now instanceof HTMLTextAreaElement)) update(old, [...now.childNodes]);
  if (isControl(old) && isControl(now)) fillIn(old, now, standing);
}

/** Whether an element is a control. @param {Element} node @returns {node is HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} */
export const isControl = (node) =>
  node instanceof HTMLInputElement || node instanceof HTMLSelectElement || node instanceof HTMLTextAreaElement;

/**
 * Write what a control has to have, unless somebody is typing something else into it, or is about to.
 *
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} old
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} now
 * @param {string | boolean} standing - What stood in it.
 */
function fillIn(old, now, standing) {
  const isIn = old === document.activeElement;
  const typing = ((isIn || held.has(old)) && standing !== written.get(old)) || kept.has(old.id);
  const wanted = standsIn(now);
  due.delete(old);
  if (typeof wanted === "boolean") Object.assign(old, { checked: typing ? standing : wanted });
  else if (typing) old.value = String(standing);
  else if (isIn && isBox(old) && old.value !== wanted) return void due.set(old, wanted);
  else if (old.value !== wanted) old.value = wanted;
  written.set(old, wanted);
}

/** Whether one types into a control. @param {Element} control */
const isBox = (control) => control.matches("input:not([type=checkbox], [type=radio], [type=range], [type=file], [type=date]), textarea");

addEventListener("focusout", ({ target }) => {
  if (!(target instanceof Element) || !isControl(target)) return;
  const wanted = due.get(target);
  due.delete(target);
  if (wanted === undefined || target.value !== written.get(target)) return;
  target.value = wanted;
  written.set(target, wanted);
});
