/** The design as the server has it: edits go there one after the other, and what the server says of them is shown. */

import { forget, hold, isControl, keep, release } from "./parts.mjs";

/** @typedef {import("./state.d.ts").State} State */
/** @typedef {import("./state.d.ts").Edit} Edit */
/** @typedef {import("./state.d.ts").Table} Table */

const CONFLICT = 409;

/** What the server refused, in its words. */
export class Refusal extends Error {
  /** @param {string} words @param {State | null} state - What is there in place of what we had. */
  constructor(words, state) {
    super(words);
    this.state = state;
  }
}

/**
 * The answer of the server.
 *
 * @param {string} address
 * @param {object} [body] - With one it is posted.
 * @returns {Promise<any>}
 */
export async function ask(address, body) {
  const posted = body && { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  const answer = await fetch(`./${address}`, { cache: "no-store", ...posted }).catch(() => {
    throw new Refusal("The designer does not answer: it was stopped. Start respondent design again.", null);
  });
  const said = await answer.json().catch(() => ({}));
  if (answer.ok) return said;
  const words = said.problem ?? "The designer refused that. Start respondent design again for a new link.";
  throw new Refusal(words, answer.status === CONFLICT ? said.state : null);
}

/** The design, and what is sent of it. */
export class Design {
  /** @type {State | null} */
  #state = null;
  /** The document before what was sent last. @type {Table} */
  #before = {};
  /** @type {Promise<void>} */
  #rest = Promise.resolve();
  #waiting = 0;
  /** What waits for its turn in the page. @type {Promise<void>} */
  #turns = Promise.resolve();
  #inLine = 0;
  /** The control whose change is being handled. @type {import("./parts.mjs").Control | null} */
  #from = null;

  /**
   * @param {(state: State, said: string) => void} show
   * @param {(problem: string, state: State | null) => void} refuse
   * @param {(isBusy: boolean) => void} wait - Is called when something begins or all is done.
   */
  constructor(show, refuse, wait) {
    this.wait = wait;
    this.show = show;
    this.refuse = refuse;
    this.respondents = 1000;
  }

  /** @returns {State} */
  get state() {
    if (!this.#state) throw new Error("there is no design yet");
    return this.#state;
  }

  get isBusy() {
    return this.#waiting > 0;
  }

  /** Wait until nothing is under way or in line: what is asked then is of the version that the server has. */
  async settled() {
    while (this.isBusy || this.#inLine) await (this.isBusy ? this.#rest : this.#turns);
  }

  /** Change the design. @param {Edit[]} edits - One after the other. @param {string} said @param {import("./parts.mjs").Control | null} [from] - Where it was typed. */
  edit(edits, said, from = this.#from) {
    return this.send("edit", { edits }, said, from);
  }

  /**
   * Let controls wait for their turn while an edit is under way: what they do then follows from the design as it is then.
   *
   * @param {HTMLElement} root - What they are in.
   */
  queue(root) {
    let isTurn = false;
    /** @param {Event} event */
    const wait = (event) => {
      const control = event.target instanceof Element ? event.target.closest("button, input, select, textarea") : null;
      const isPress = control instanceof HTMLButtonElement;
      if (control && isControl(control) && control.type !== "radio" && event.type === "change") this.#from = control;
      if (!(control instanceof HTMLElement) || isTurn || !(this.isBusy || this.#inLine) || isPress !== (event.type === "click"))
        return;
      event.stopPropagation();
      this.#from = null;
      hold(control);
      this.#inLine += 1;
      this.#turns = this.#turns.then(async () => {
        while (this.isBusy) await this.#rest;
        this.#inLine -= 1;
        release(control);
        isTurn = true;
        if (isPress) control.click();
        else control.dispatchEvent(new Event("change"));
        isTurn = false;
        this.#from = null;
        this.wait(this.isBusy || this.#inLine > 0);
      });
    };
    for (const type of ["change", "click"]) root.addEventListener(type, wait, { capture: true });
    root.addEventListener("change", () => (this.#from = null));
  }

  /** Post something that ends in a new state. @param {string} address @param {object} body @param {string | ((before: Table) => string)} said - Or what finds it out from the document before, once the state is there. @param {import("./parts.mjs").Control | null} [from] */
  send(address, body, said, from = null) {
    return this.#after(async () => {
      this.#before = this.state.document;
      const answer = await ask(`${address}?respondents=${this.respondents}`, { version: this.state.version, ...body });
      this.#state = answer.state ?? answer;
    }, said, from);
  }

  /** Load the design. @param {string} said */
  load(said) {
    return this.#after(async () => void (this.#state = await ask(`state?respondents=${this.respondents}`)), said);
  }

  /** Take a state that came with a refusal. @param {State} state @param {string} said */
  take(state, said) {
    return this.#after(async () => void (this.#state = state), said);
  }

  /** Do something once all before is done; show the state once nothing waits. @param {() => Promise<void>} what @param {string | ((before: Table) => string)} said @param {import("./parts.mjs").Control | null} [from] */
  #after(what, said, from = null) {
    if (from) keep(from, "");
    this.#waiting += 1;
    this.wait(true);
    this.#rest = this.#rest.then(async () => {
      /** @type {unknown} */
      let failure = null;
      await what().catch((error) => (failure = error));
      this.#waiting -= 1;
      if (from && failure instanceof Refusal) keep(from, failure.message);
      else if (from) forget(from.id);
      if (failure instanceof Refusal) this.refuse(failure.message, failure.state);
      else if (failure) throw failure;
      if (this.#waiting === 0 && this.#state) this.show(this.#state, failure ? "" : typeof said === "string" ? said : said(this.#before));
      this.wait(this.isBusy || this.#inLine > 0);
    });
    return this.#rest;
  }
}
