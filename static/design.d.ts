/** The published design, as the scripts read it, written down as types for who reads them. No browser loads this. */

export type Pair = readonly [number, number];

/** By language. */
export type Text = Readonly<Record<string, string>>;

export interface Coding {
  /** "plain", "szucs" or "balanced"; "routed", if the last value is coded as a draw from the others'; or, with codes that values share, "projective", "subsets", "cyclotomic" or "thresholds". */
  scheme: string;
  /** Every code that may be sent, ascending. */
  codes: readonly number[];
  /** The partner of each code; null unless the coding has pairs. */
  complements: readonly number[] | null;
  /** Weights of the codes, where a replacement is not as likely to be any of them. */
  replacement?: readonly number[] | null;
  /** For each value its codes, each with a whole weight. */
  draws: readonly (readonly Pair[])[];
}

export interface Question {
  name: string;
  /** "yes_no", "choice", "scale" or "number". */
  kind: string;
  sensitive: boolean;
  label: Text;
  hint: Text | null;
  /** How the values read, in order; none if as they are. */
  words: readonly Text[];
  values: readonly string[];
  /** The expected frequency of each value: [numerator, denominator]. */
  prior: readonly Pair[];
  unit: Text | string | null;
  minimum: number | null;
  maximum?: number | null;
  cuts: readonly number[];
  /** Whether all numbers are whole, such as counts. */
  whole?: boolean;
  coding: Coding;
}

export interface Group {
  name: string;
  /** "complement" or "uniform". */
  channel: string;
  /** The chance that the group is sent as it is: [numerator, denominator]. */
  truth?: Pair | null;
  /** In its place where that depends on the questions asked: static/disguise/sampling.mjs. */
  odds?: Pair | null;
  questions: readonly string[];
}

export interface Sampling {
  /** How many questions one respondent is asked, those of `always` included. */
  ask: number;
  always: readonly string[];
}

/** Questions that are asked on one screen: collector/survey/screen.py says what each key means. */
export interface Screen {
  /** "plain", "multiple", "grid", "ranking", "number" or "date". */
  kind: string;
  questions: readonly string[];
  label?: Text;
  hint?: Text;
  section?: Text;
  /** Each question must have one of these values. */
  pictures?: readonly (readonly [string, string])[];
  ask_if?: readonly (readonly [string, readonly string[]])[];
  least?: number;
  most?: number;
  none?: Text;
  /** What is ranked; or options to tick that are one question, whose values are combinations: "words+net", "none". */
  items?: readonly (readonly [string, Text])[];
  cuts?: readonly (number | string)[];
  minimum?: number | string;
  maximum?: number | string;
  unit?: Text | string;
  whole?: boolean;
  shuffle?: boolean;
}

export interface Design {
  name: string;
  questions: readonly Question[];
  groups: readonly Group[];
  /** Null if everybody is asked everything. */
  sampling?: Sampling | null;
  /** In survey order; a question of none is on a screen of its own. */
  screens?: readonly Screen[];
  /** Whether the screens stand in a random order. */
  shuffle?: boolean;
}
