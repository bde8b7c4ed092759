/**
 * One visit: from the design that the page was given to the bytes that are sent. The page (static/page/) gives the answers to
 * this and shows what comes of them. It imports neither the coins nor the request.
 *
 * That a file does not import another is to make reading easy, and guarantees nothing. What the browser enforces is the
 * Content-Security-Policy (respondent/headers.py): no script of this page can send anything to another site, and none but
 * those of this site can run. That static/page/ sends nothing to this site is seen by reading: `fetch` stands in request.mjs.
 */

import { codeAnswers } from "./coding.mjs";
import { newReceipt, secureWord } from "./coins.mjs";
import { checkDesign, disguise, padding } from "./disguise.mjs";
import { request } from "./request.mjs";
import { forget, keep, kept } from "./tab.mjs";

/** SHA-256 in hexadecimal; null where the browser has none, as the page came over plain http. @type {(text: string) => Promise<string | null>} */
export async function fingerprintOf(text) {
  if (!crypto.subtle) return null;
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Begin a visit, or go on with that of this tab. Fails before anything is asked where the design is not the one that the
 * response will name, is not sound, or where there is no secure randomness.
 *
 * @param {string} address - Where the response goes.
 * @param {string} fingerprint - Of the published design: its SHA-256.
 * @param {string} text - The design, as canonical JSON.
 */
export async function openVisit(address, fingerprint, text) {
  const computed = await fingerprintOf(text);
  if (computed !== null && computed !== fingerprint) throw new Error("the design is not the one of the fingerprint");
  const design = JSON.parse(text);
  checkDesign(design);
  secureWord(); // fails where there is no secure randomness
  const split = design.sampling ? await import("./sampling.mjs") : null;
  const tab = kept(fingerprint) ?? { asked: split?.drawQuestions(design, secureWord), body: null };
  if (split) keep(fingerprint, tab); // a reload asks the same questions
  const asked = split?.partOf(design, tab.asked) ?? design;

  const write = (response) => {
    tab.body = JSON.stringify(response) + padding(design, response.codes);
    keep(fingerprint, tab);
  };
  return {
    asked, // the part of the design that this respondent is asked
    verified: computed !== null,
    /** The response as it is sent, byte for byte; null until it is frozen. @type {() => string | null} */
    body: () => tab.body,
    /** Turn the answers into what is sent, once. @type {(answers: Record<string, any>, invitation?: string) => void} */
    freeze(answers, invitation) {
      if (tab.body) throw new Error("the response is frozen"); // its coins are tossed once
      const codes = disguise(asked, codeAnswers(asked, answers, secureWord), secureWord);
      write({ fingerprint, codes: split?.whole(design, codes) ?? codes, receipt: newReceipt(), invitation });
    },
    /** Send the same disguised answers with another invitation code. @type {(invitation: string) => void} */
    reinvite: (invitation) => write({ ...JSON.parse(tab.body ?? ""), invitation }),
    send: () => request("POST", address, tab.body ?? ""),
    remove: (receipt) => request("DELETE", address, JSON.stringify({ fingerprint, receipt })),
    forget() {
      forget(fingerprint);
      tab.body = null;
    },
  };
}
