/**
 * Pictures beside questions and answers. All of them are asked for before anything is answered, in the order of the design, those of
 * screens that somebody is not asked too, and waited for: so no request for one tells who came where.
 */

import { language, made, mark } from "./questions.mjs";

export function showPictures({ screens = [] }, parts, folder) {
  const loading = [];
  const show = (image, name) => loading.push(new Promise((done) => {
    image.onload = image.onerror = done; // without it its text is in its place, or its label beside it
    image.src = folder + name;
  }));
  for (const screen of screens) {
    const section = parts.find((part) => part.screen === screen)?.section;
    if (screen.picture) {
      const image = mark(made("img", "", { className: "picture", alt: screen.picture_text[language] }), screen.picture_text);
      section?.querySelector("[id$=-odds]").before(image);
      show(image, screen.picture);
    }
    for (const [answer, name] of screen.pictures ?? []) {
      const image = made("img", "", { alt: "" }); // the label that it stands in says the same
      const is = ({ id, value }) => (screen.kind === "multiple" && !screen.items ? id === `q-${answer}-0` : value === answer);
      [...(section?.querySelectorAll("input") ?? [])].find(is)?.after(image);
      show(image, name);
    }
  }
  return Promise.all(loading);
}
