/**
 * Pictures beside questions. All of them are asked for before anything is answered, in the order of the design, those of
 * screens that somebody is not asked too, and waited for: so no request for one tells who came where.
 */

import { language, made, mark } from "./questions.mjs";

export function showPictures({ screens = [] }, parts, folder) {
  const shown = screens.filter(({ picture }) => picture);
  return Promise.all(shown.map((screen) => {
    const image = mark(made("img", "", { className: "picture", alt: screen.picture_text[language] }), screen.picture_text);
    parts.find((part) => part.screen === screen)?.section.querySelector("[id$=-odds]").before(image);
    return new Promise((done) => {
      image.onload = image.onerror = done; // without it its text is in its place
      image.src = folder + screen.picture;
    });
  }));
}
