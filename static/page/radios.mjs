/**
 * What a browser does for radios that share a name, for radios that must have none: at most one is checked, Tab enters
 * and leaves the group once, arrow keys move the choice among those in sight, and screen readers say "1 of 4".
 */

const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** Make one group of the radios in a fieldset; Arrow Down goes from its search box to the first of them. */
export function groupRadios(fieldset) {
  const radios = [...fieldset.querySelectorAll("[type=radio]")];
  const seen = () => radios.filter((radio) => !radio.parentElement.hidden);
  const settle = () => {
    const group = seen();
    const stop = group.find((radio) => radio.checked) ?? group[0]; // of Tab
    for (const radio of radios) radio.tabIndex = radio === stop ? 0 : -1;
    group.forEach((radio, at) => (radio.setAttribute("aria-posinset", at + 1), radio.setAttribute("aria-setsize", group.length)));
  };
  const choose = (chosen) => {
    for (const radio of radios) radio.checked = radio === chosen;
    settle();
  };
  fieldset.addEventListener("change", ({ target }) => radios.includes(target) && choose(target));
  fieldset.addEventListener("input", settle); // after a search
  fieldset.addEventListener("keydown", (event) => {
    const [group, step] = [seen(), STEPS[event.key]];
    const from = group.indexOf(event.target);
    const next = from < 0 ? event.key === "ArrowDown" && group[0] : group[(from + step + group.length) % group.length];
    if (!next || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault(); // else the page scrolls
    next.focus();
    if (from >= 0) choose(next);
  });
  settle();
  fieldset.setAttribute("role", "radiogroup");
  fieldset.setAttribute("aria-required", "true");
}
