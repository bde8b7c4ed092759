/**
 * What a browser does for radios that share a name, for radios that must have none: at most one is checked, Tab
 * enters and leaves the group once, arrow keys move the choice, and screen readers say "1 of 4".
 */

const STEPS = new Map([["ArrowDown", 1], ["ArrowRight", 1], ["ArrowUp", -1], ["ArrowLeft", -1]]);

/** Make one group of the radios in a container. */
export function groupRadios(container) {
  const radios = [...container.querySelectorAll("input[type=radio]")];
  radios.forEach((radio, index) => {
    radio.setAttribute("aria-posinset", String(index + 1));
    radio.setAttribute("aria-setsize", String(radios.length));
    radio.addEventListener("change", () => choose(radios, radio));
    radio.addEventListener("keydown", (event) => {
      const step = STEPS.get(event.key);
      if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault(); // else the page scrolls
      const next = radios[(index + step + radios.length) % radios.length];
      next.focus();
      choose(radios, next);
    });
  });
  keepOneTabStop(radios);
  const group = radios[0].closest("fieldset");
  group?.setAttribute("role", "radiogroup");
  group?.setAttribute("aria-required", "true");
}

function choose(radios, chosen) {
  for (const radio of radios) radio.checked = radio === chosen;
  keepOneTabStop(radios);
}

/** Tab stops at the checked radio, or at the first where none is. */
function keepOneTabStop(radios) {
  const stop = radios.find((radio) => radio.checked) ?? radios[0];
  for (const radio of radios) radio.tabIndex = radio === stop ? 0 : -1;
}
