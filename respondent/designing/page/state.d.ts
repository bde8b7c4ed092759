/** What the server says of a design, and what it takes, written down as types for who reads the scripts. No browser loads this. */

export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };
export type Table = { [key: string]: Value };
export type Path = (string | number)[];

export type Edit =
  | { op: "set"; path: Path; value: Value }
  | { op: "delete"; path: Path }
  | { op: "insert"; path: Path; value: Value }
  | { op: "move"; path: Path; to: number }
  | { op: "duplicate"; path: Path }
  | { op: "languages"; path: Path; value: string[] }
  | { op: "text"; path: Path; language: string; value: string }
  | { op: "preset"; path: Path; value: string }
  | { op: "rename"; path: Path; to: string };

export interface Problem {
  place: string;
  path: Path;
  problem: string;
  remedy: string;
  /** Both in the words of the form. */
  words: string;
}

export interface Lint extends Problem {
  severity: string;
  mend: { id: string; label: string } | null;
}

export interface ValueFigures {
  value: string;
  /** How the value reads to a respondent. */
  words: string;
  prior: number;
  standard_error: number | null;
  width: number | null;
  design_effect: number | null;
  /** How many times as many people are needed as if they were asked openly. */
  respondents_factor: number | null;
  /** The chance of the value after the response that raises it most. */
  likeliest: number;
}

export interface QuestionFigures {
  name: string;
  group: string | null;
  values: ValueFigures[];
  epsilon: number | null;
  /** How many of its entropy stay unknown. */
  bits: number;
  /** Whether no more stay unknown; otherwise `bits` is a lower bound. */
  bits_exact: boolean;
  entropy: number | null;
  belief: number;
  /** The preset of privacy that it has; null where it is between two. */
  preset: string | null;
  /** The same in words; empty where it is not known. */
  level: string;
  meaning: Meaning;
}

/** What a design means for a question, in sentences. */
export interface Meaning {
  belief: string;
  cost: string;
  card: string | null;
}

/** What a preset would mean for a question, or why it cannot be had. */
export interface Offer extends Meaning {
  name: string;
  title: string;
  problem: string | null;
}

export interface Offers {
  presets: Offer[];
  /** What twice the privacy costs. */
  doubled: string | null;
}

/** What a picture has a place for. */
export interface Spot {
  epsilon: number | null;
  belief: number;
  width: number | null;
}

export interface Point {
  truth: string;
  epsilon: number | null;
  /** Of an answer: how many stay unknown. */
  bits: number;
  /** The largest chance that an answer can have after a response. */
  belief: number;
  width: number | null;
}

export interface GroupFigures {
  name: string;
  questions: string[];
  truth: string | null;
  epsilon: number | null;
  curve: Point[];
}

/** What one epsilon for the whole response would choose. */
export interface Chosen {
  epsilon: number | null;
  ask: number | null;
  questions: Measured[];
  groups: (Measured & { questions: string[] })[];
}

export interface Measured {
  name: string;
  epsilon: number | null;
  bits: number;
  belief: number;
  width: number | null;
}

export interface Figures {
  questions: QuestionFigures[];
  groups: GroupFigures[];
  response: { epsilon: number | null; readers: string | null; central: string | null; together: string };
  stale?: boolean;
}

/** What a preset of the whole response would mean, in sentences, or why it cannot be had. */
export interface WholeOffer {
  name: string;
  title: string;
  epsilon: number;
  words: string[];
  problem: string | null;
  /** The largest chance that a response gives to an answer. */
  belief: number | null;
  /** The number of questions to ask each person that needs the fewest people; null where it saves little. */
  fewer: Fewer | null;
}

/** A number of questions to ask each person, with the people it takes in place of those that it takes now. */
export interface Fewer {
  ask: number;
  questions: number;
  people: number;
  instead: number;
  words: string;
  edits: Edit[];
}

/** What the preview shows. */
export interface Previewed {
  name: string;
  fingerprint: string;
  languages: string[];
  /** Translations that another language or a name stands for. */
  missing: { path: Path; language: string }[];
  /** Whether it is a version from before: the present one does not compile. */
  stale: boolean;
}

/** Who reaches a question of the file. */
export interface Route {
  index: number;
  title: string;
  conditions: { index: number; title: string; answers: string[] }[];
  /** Of all people; null where it is not known. */
  share: number | null;
  expected: number | null;
  /** The chance to be asked of somebody whose answers lead there. */
  drawn: number;
  /** The questions without expected shares that it depends on. */
  guessed: number[];
}

/** A text in all languages. */
export interface TextRow {
  name: string;
  path: Path;
  /** What the page shows where the file has no text. */
  stands: string;
  texts: { [language: string]: string };
  /** Languages that it is missing in. */
  missing: string[];
  /** Languages whose translation is older than the original. */
  changed: string[];
}

/** A preset of privacy. */
export interface Preset {
  name: string;
  title: string;
  /** In the list of questions. */
  mark: string;
  /** Of a whole response; null where it is no preset of one. */
  epsilon: number | null;
  /** What it is for, for a whole response. */
  use: string | null;
  /** Whether a single answer can have it. */
  answer: boolean;
}

export interface State {
  version: number;
  /** Whether nothing is in the file yet. */
  blank: boolean;
  path: string | null;
  undo: boolean;
  redo: boolean;
  disk: "same" | "changed";
  document: Table;
  problems: Problem[];
  /** Of each question: the places of those whose conditions mention it. */
  followers: number[][];
  lints: Lint[];
  preview: Previewed | null;
  survey: { name: string; fingerprint: string; languages: string[] } | null;
  figures: Figures | null;
  respondents: number;
  /** The most private first. */
  presets: Preset[];
  /** The texts; none where the survey has one language. */
  translations: TextRow[];
}

/** A control of a form: which key of a table it writes, and as what. */
export interface Field {
  key: string;
  as: "text" | "word" | "name" | "number" | "flag" | "one" | "list" | "day" | "values" | "items" | "shares" | "files" | "group" | "condition";
  label: string;
  help?: string;
  /** Of a text: with paragraphs. */
  long?: boolean;
  /** Of a text: one for all languages, unless the file has one for each. */
  plain?: boolean;
  /** Of a flag: what holds where nothing is written. */
  usual?: boolean;
  /** Of one of several: what is written, and how it reads; "" stands for nothing written. */
  choices?: [string, string][];
  /** Of a list: what its entries are. */
  of?: "number" | "day" | "word";
}

export interface Part {
  title: string;
  fields: Field[];
  /** Folded until it is opened. */
  folded?: boolean;
}

/** What every form needs: the state, and how to change it. */
export interface Shown {
  state: State;
  languages: string[];
  /** The control is the one whose words are sent, if it is not the one that has changed. */
  edit: (edits: Edit[], said: string, from?: HTMLInputElement) => void;
}
