/**
 * The invitation code: taken from the link or typed in before anything is asked. Its form alone is looked at here. Whether
 * it was given out, and is unused, is known when the response is sent: a request that told it before would be an oracle to
 * guess codes with, and a trace of who opened the survey. The page loads this for a survey by invitation, and no other.
 */

import { element } from "./questions.mjs";

const FORM = /^[0-9A-HJKMNP-TV-Z]{26}$/; // collector/store/invitation.py: 26 of these, in any case, with dashes and spaces or not

const field = element("invitation");

/** A link may bring the code in its fragment, which no server sees; it does not stay in the address. */
export function take() {
  const [, code] = location.hash.match(/^#([-\w%]+)$/) ?? [];
  try {
    if (code) field.value = decodeURIComponent(code);
  } catch {} // it is none, and the field stays empty
}

/** What is written there. */
export function written() {
  return field.value.trim();
}

/** Whether the form of a code is right. */
export function isCode(code) {
  const kept = code.toUpperCase().replace(/[^\p{L}\p{N}]/gu, "");
  return FORM.test(kept.replace(/[IL]/g, "1").replaceAll("O", "0"));
}

/** Say that it is none, at the field; whether it is none. */
export function complain(texts) {
  const [wrong, line] = [!isCode(written()), element("invitation-error")];
  line.textContent = texts.error + texts.uninvited;
  line.hidden = !wrong;
  field.setAttribute("aria-invalid", String(wrong));
  if (wrong) field.focus();
  return wrong;
}

/** Try another code with the same disguised answers: where one was unknown or used, nothing was stored. Whether there is one. */
export function renew(visit) {
  const code = written();
  const other = code && JSON.parse(visit.body()).invitation !== code;
  if (other) visit.reinvite(code);
  return other;
}
