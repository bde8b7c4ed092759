/**
 * A tab that was restored, or loaded again, with a response that is locked and not sent. Whoever sits here now may be somebody
 * else: nothing of the response is shown until they say that it is theirs. The page loads this only then.
 */

import { element, made } from "./questions.mjs";

/** Ask whose it is. Ends where it is theirs; else it is removed, and the page begins anew. @type {(visit: any, texts: any) => Promise<void>} */
export function askWhose(visit, texts) {
  const title = made("h1", texts.whose, { tabIndex: -1 });
  const mine = made("button", texts.yes, { type: "button" });
  const other = made("button", texts.no, { type: "button", className: "plain" });
  const [section, buttons] = [made("section", "", { id: "whose" }), made("p", "", { className: "buttons" })];
  buttons.append(mine, " ", other);
  section.append(title, buttons);
  element("card").before(section);
  element("card").hidden = true;
  for (const nav of document.querySelectorAll("nav")) nav.hidden = true;
  title.focus();
  return new Promise((resolve) => {
    mine.onclick = () => (section.remove(), resolve());
    other.onclick = () => (visit.forget(), location.reload());
  });
}
