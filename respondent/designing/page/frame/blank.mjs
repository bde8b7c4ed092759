/** A blank survey: a title and a language, and it begins with one question. */

import { labelled } from "../controls.mjs";
import { button, made } from "../parts.mjs";

/**
 * The fields of a blank survey.
 *
 * @param {string} id
 * @param {(body: {kind: string, name: string, language: string}) => void} begin
 */
export function blankForm(id, begin) {
  const title = made("input", { id: `${id}.title`, autocomplete: "off", placeholder: "Survey" });
  const language = made("input", { id: `${id}.language`, value: "en", autocomplete: "off", spellcheck: false });
  /** @param {string} name */
  const standing = (name) => /** @type {HTMLInputElement} */ (document.getElementById(`${id}.${name}`)).value.trim();
  return made(
    "fieldset",
    { id },
    made("legend", {}, "A blank survey"),
    labelled("Title", title, { help: "What respondents read above it. You can change it later." }),
    labelled("Language", language, { help: "Its code, such as en, de or fr. You can add others later." }),
    button(`${id}.blank`, "Begin with one question", () => begin({ kind: "blank", name: standing("title"), language: standing("language") })),
  );
}
