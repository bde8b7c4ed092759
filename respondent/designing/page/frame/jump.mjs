/** Loaded by the page in the preview, beside its own scripts: it shows the screen whose number stands in its address. */

const { show } = await import("../preview/static/page/screens.mjs"); // the one that the page has

show(Number(new URL(import.meta.url).searchParams.get("screen")));
document.dispatchEvent(new Event("jumped"));

export {};
