/** What the forms ask of all that is no question: survey, study, groups, privacy and sampling. */

/** @typedef {import("./state.d.ts").Field} Field */
/** @typedef {import("./state.d.ts").Part} Part */

/** @type {(key: string, label: string, help?: string, long?: boolean) => Field} */
const text = (key, label, help, long) => ({ key, as: "text", label, help, long });

/** The parts of the survey form; each field is written at the top of the file. @type {Part[]} */
export const SURVEY = [
  {
    title: "The survey",
    fields: [
      text("title", "Title", "What respondents read above it."),
      { key: "name", as: "word", label: "Name of the survey", help: "In addresses and commands: small letters, digits and _." },
      {
        key: "languages",
        as: "list",
        of: "word",
        label: "Languages",
        help: "Their codes, such as en, fr, with commas between; the first is the main one.",
      },
      {
        key: "preview",
        as: "one",
        label: "Respondents see what is sent",
        choices: [
          ["", "after it, as usual"],
          ["before", "before they send it"],
          ["after", "after they sent it"],
          ["off", "never"],
        ],
      },
      { key: "shuffle", as: "flag", label: "Show all screens in a random order" },
      { key: "wave", as: "number", label: "Wave", help: "2, 3, ... where the same survey is asked again." },
      {
        key: "deposit",
        as: "flag",
        label: "The disguised responses may be published",
        help: "The study card says so before the first question.",
      },
    ],
  },
];

/** Likewise of `[study]`. @type {Part[]} */
export const STUDY = [
  {
    title: "Study card",
    fields: [
      text("who", "Who asks"),
      text("why", "What for"),
      text("contact", "Whom to turn to"),
      text("ethics", "Which ethics board agreed"),
      { key: "minutes", as: "number", label: "Minutes that it takes" },
    ],
  },
  {
    title: "Consent and thanks",
    fields: [
      text("consent", "What one agrees to", "", true),
      text("privacy", "Privacy notice", "", true),
      text("thanks", "Thanks", "What is said once the response is stored.", true),
    ],
  },
  {
    title: "Dates and quotas",
    fields: [
      { key: "opens", as: "day", label: "First day", help: "Such as 2026-12-31 or 31.12.2026, or a moment: 2026-12-31T18:00:00." },
      { key: "until", as: "day", label: "Last day" },
      { key: "timezone", as: "word", label: "Time zone", help: "Such as Europe/Berlin." },
      { key: "quota", as: "number", label: "How many responses are taken" },
      { key: "per_address", as: "number", label: "How many from one address in an hour" },
    ],
  },
  {
    title: "Panels",
    fields: [
      { key: "code", as: "word", label: "Completion code" },
      { key: "redirect", as: "word", label: "Address to go on to" },
    ],
    folded: true,
  },
  {
    title: "Look",
    fields: [
      { key: "logo", as: "word", label: "Logo", help: "A picture beside the survey file." },
      text("logo_text", "What the logo shows"),
      { key: "accent", as: "word", label: "Colour of buttons and links", help: "Such as #1a6b52." },
      {
        key: "font",
        as: "one",
        label: "Letters",
        choices: [
          ["", "as usual"],
          ["sans", "without serifs"],
          ["serif", "with serifs"],
        ],
      },
      { key: "no_exit", as: "word", label: "Why the page has no Exit button" },
    ],
    folded: true,
  },
];

/** Of a group. @type {Field[]} */
export const GROUP = [
  { key: "truth", as: "word", label: "Truth probability", help: "The chance that the random draw sends an answer as it is: 3/4 or 0.75." },
  { key: "epsilon", as: "number", label: "or epsilon", help: "A limit on what a response can tell: smaller is more private." },
  { key: "odds", as: "word", label: "or odds", help: "Where not everybody is asked every question: the truth probability follows from them and from which are asked." },
  {
    key: "channel",
    as: "one",
    label: "Channel",
    help: "What is sent where the random draw does not send the answer.",
    choices: [
      ["", "as usual"],
      ["complement", "complement: the opposite is sent"],
      ["uniform", "uniform: an answer drawn by chance is sent"],
    ],
  },
];

/** Of `[privacy]`. @type {Field[]} */
export const PRIVACY = [
  {
    key: "epsilon",
    as: "number",
    label: "Epsilon of a whole response",
    help: "A limit on what all answers of a person tell, above 0 and at most 100: smaller is more private. All else follows from it.",
  },
  {
    key: "central_epsilon",
    as: "number",
    label: "or central epsilon",
    help: "The same limit for somebody who reads only what you publish and sees no single response. It needs a number of respondents.",
  },
  { key: "respondents", as: "number", label: "Fewest respondents", help: "With a central epsilon: of whose responses you publish figures." },
  { key: "delta", as: "number", label: "Delta", help: "With a central epsilon: 0.000001 as usual." },
  {
    key: "new",
    as: "number",
    label: "Fewest new respondents since you last published",
    help: "With a central epsilon, where you publish figures more than once. Empty: you publish once.",
  },
  {
    key: "coins",
    as: "one",
    label: "Random draws",
    choices: [
      ["", "whichever tells more"],
      ["one", "one for all that a person is asked"],
      ["own", "one for each question"],
    ],
  },
  {
    key: "aim",
    as: "one",
    label: "What responses are for",
    choices: [
      ["", "trees, as usual"],
      ["trees", "trees"],
      ["shares", "shares"],
      ["pairs", "pairs"],
    ],
  },
];

/** Of `[sampling]`. @type {Field[]} */
export const SAMPLING = [
  {
    key: "ask",
    as: "number",
    label: "How many questions each respondent is asked",
    help: "Empty: all. With an epsilon of the whole response it may be auto.",
  },
  { key: "always", as: "list", of: "word", label: "Asked of everybody", help: "Names of questions, with commas between." },
];
