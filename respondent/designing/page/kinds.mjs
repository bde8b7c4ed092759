/** The one table of question kinds: what the form of each asks, and what a new one begins with. */

/** @typedef {import("./state.d.ts").Field} Field */
/** @typedef {import("./state.d.ts").Part} Part */
/** @typedef {import("./state.d.ts").Table} Table */

/** @typedef {object} Kind
 * @property {string} title
 * @property {string} short - In the list of questions.
 * @property {string} about
 * @property {Table} begin - The keys that a new question has.
 * @property {Field[]} answers - Fields that only such a question has.
 * @property {string[]} [values] - Its values, where the kind says them.
 * @property {boolean} [many] - It becomes a question for each option or statement.
 * @property {boolean} [pictures] - Its answers may have pictures.
 */

/** @type {Field} */ const VALUES = {
  key: "values",
  as: "values",
  label: "Values",
  help: "Short names, as tables of answers have them, in the order they are shown; and how each reads. You can paste several at once: lines, or with commas or semicolons between. How they read is pasted for a language at once.",
};
/** @type {Field} */ const WORDS = { ...VALUES, label: "How answers read" };
/** @type {Field} */ const UNIT = {
  key: "unit",
  as: "text",
  plain: true,
  label: "Unit",
  help: "What the number counts; shown behind it.",
};
/** @type {Field} */ const WHOLE = {
  key: "whole",
  as: "flag",
  label: "Only whole numbers",
  help: "Such as counts. Means and quantiles are then those of whole numbers. The cuts must be whole, too.",
};
/** @type {(key: string, label: string) => Field} */ const items = (key, label) => ({
  key,
  as: "items",
  label,
  help: "A short name for tables of answers, and what is read. You can paste several texts at once: lines, or with semicolons between; then those of another language.",
});
/** @type {(of: "number" | "day") => Field[]} */ const intervals = (of) => [
  {
    key: "cuts",
    as: "list",
    of,
    label: "Cuts",
    help: `Where it is cut into intervals, ascending, with commas between: ${of === "day" ? "2010-01-01, 2020-01-01" : "400, 800"}. Only the interval is sent.`,
  },
  { key: "minimum", as: of, label: "Smallest that can be entered" },
  { key: "maximum", as: of, label: "Largest that can be entered" },
];

/** The kinds of the survey file, in the order that they are offered. @type {Record<string, Kind>} */
export const KINDS = {
  yes_no: { title: "Yes or no", short: "yes/no", about: "two answers", begin: {}, answers: [WORDS], values: ["yes", "no"], pictures: true },
  choice: {
    title: "One of several",
    short: "choice",
    about: "values without order",
    begin: { values: ["one", "other"] },
    answers: [VALUES],
    pictures: true,
  },
  scale: {
    title: "A scale",
    short: "scale",
    about: "values with an order",
    begin: { values: ["low", "high"] },
    answers: [VALUES],
    pictures: true,
  },
  number: { title: "A number", short: "number", about: "sent as an interval", begin: { cuts: [1] }, answers: [...intervals("number"), WHOLE, UNIT] },
  multiple: {
    title: "Tick all that apply",
    short: "ticks",
    about: "several options",
    many: true,
    pictures: true,
    begin: { options: { one: "One", other: "Another" } },
    answers: [
      items("options", "Options"),
      { key: "least", as: "number", label: "At least so many ticks" },
      { key: "most", as: "number", label: "At most so many ticks" },
      { key: "none", as: "text", label: "None of these", help: "The text of a box that excludes the others." },
    ],
  },
  grid: {
    title: "Statements by one scale",
    short: "grid",
    about: "a grid",
    many: true,
    begin: { values: ["low", "high"], statements: { one: "One", other: "Another" } },
    answers: [items("statements", "Statements"), VALUES],
  },
  ranking: {
    title: "A ranking",
    short: "ranking",
    about: "2 to 5 things in order",
    begin: { items: { one: "One", other: "Another" } },
    answers: [items("items", "Things to rank")],
  },
  date: { title: "A date", short: "date", about: "sent as an interval", begin: { cuts: ["2020-01-01"] }, answers: intervals("day") },
};

/** @type {Field[]} */
const ASKED = [
  { key: "label", as: "text", label: "What is asked" },
  { key: "hint", as: "text", label: "A line below it" },
  { key: "name", as: "name", label: "Name", help: "In tables and conditions: small letters, digits and _." },
];
/** @type {Field[]} */
const WHEN = [
  {
    key: "ask_if",
    as: "condition",
    label: "Asked only if",
    help: "Such as bullied = yes and not year in (first, second). Empty: everybody is asked.",
  },
  {
    key: "unasked",
    as: "one",
    label: "Who is not asked",
    choices: [
      ["", "as usual"],
      ["drawn", "is coded as a drawn answer"],
      ["sent", "is coded as one more value"],
    ],
  },
  { key: "decline", as: "flag", label: "Offer “prefer not to say”" },
  { key: "optional", as: "flag", label: "It may be skipped" },
  { key: "shuffle", as: "flag", label: "Show its answers in a random order" },
  { key: "section", as: "text", label: "Heading of a section that begins here" },
];
/** @type {Field[]} */
const DISGUISE = [
  { key: "sensitive", as: "flag", usual: true, label: "Disguise the answer" },
  { key: "group", as: "group", label: "Group", help: "Questions of one group share one random draw: chance sends all their answers as they are, or replaces all." },
  {
    key: "prior",
    as: "shares",
    label: "How frequent each answer is expected to be",
    help: "They add up to 1. They are used for the figures of privacy on this page, never for your results.",
  },
];
/** @type {Field} */ const COINS = {
  key: "coins",
  as: "one",
  label: "Random draws",
  choices: [
    ["", "as usual"],
    ["one", "one for all its answers"],
    ["own", "one for each answer"],
  ],
};
/** @type {Field[]} */
const FINE = [
  {
    key: "coding",
    as: "one",
    label: "Coding",
    choices: ["", "balanced", "szucs", "auto", "plain", "trend", "projective", "subsets", "cyclotomic", "thresholds"].map(
      (each) => [each, each || "as usual"],
    ),
  },
  { key: "replacement", as: "shares", label: "How often each value is sent in place of the truth" },
  { key: "confirmed", as: "flag", usual: true, label: "Its values were compared with what is public" },
];
/** @type {Field[]} */
const PICTURE = [
  { key: "picture", as: "word", label: "Picture above the answers", help: "A PNG, JPEG or WebP file beside the survey file." },
  { key: "picture_text", as: "text", label: "What the picture shows" },
];
/** @type {Field} */ const PICTURES = {
  key: "pictures",
  as: "files",
  label: "Pictures of answers",
  help: "Files beside the survey file.",
};

/** The parts of the form of a question. @param {string} kind @returns {Part[]} */
export function partsOf(kind) {
  const known = KINDS[kind];
  return [
    { title: "What is asked", fields: ASKED },
    ...(known ? [{ title: "Answers", fields: known.answers }] : []),
    { title: "When it is asked, and how", fields: WHEN },
    { title: "How it is disguised", fields: known?.many ? [...DISGUISE, COINS] : DISGUISE },
    { title: "Pictures", fields: known?.pictures ? [...PICTURE, PICTURES] : PICTURE, folded: true },
    { title: "Fine settings", fields: FINE, folded: true },
  ];
}

/** What a new question of a kind has, its texts in all languages. @param {string} kind @param {string[]} languages @returns {Table} */
export function begun(kind, languages) {
  const inAll = (/** @type {import("./state.d.ts").Value} */ text) => Object.fromEntries(languages.map((each) => [each, text]));
  const entries = Object.entries(KINDS[kind]?.begin ?? {}).map(([key, value]) => {
    if (languages.length < 2 || typeof value !== "object" || value === null || Array.isArray(value)) return [key, value];
    return [key, Object.fromEntries(Object.entries(value).map(([name, text]) => [name, inAll(text)]))];
  });
  return Object.fromEntries(entries);
}
