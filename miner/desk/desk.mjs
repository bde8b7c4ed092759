// Puts new figures in the place of old ones, and leaves alone what has the focus. Without it "Look again" does the same.

const PAUSE = 15_000; // milliseconds
const said = document.getElementById("said");

async function look() {
  const answer = await fetch("./", { cache: "no-store" });
  if (!answer.ok) throw new Error("there is no desk");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-shown]")) {
    const now = page.getElementById(part.id);
    if (now && now.dataset.shown !== part.dataset.shown && !part.contains(document.activeElement)) {
      part.replaceWith(document.adoptNode(now));
    }
  }
  said.classList.add("hidden");
  if (document.title !== page.title) said.textContent = document.title = page.title;
}

function gone() {
  said.textContent = said.dataset.gone;
  said.classList.remove("hidden");
}

setInterval(() => look().catch(gone), PAUSE);
