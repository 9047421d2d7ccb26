/** Characters of one style. */
export interface StyledRun {
  text: string;
  dim: boolean;
  inverse: boolean;
  /** Bold, italic, underlined or anything else that is not a colour. */
  otherAttribute: boolean;
  /** As the capture gives it, such as `5;231`, `2;255;0;0` or `31`; null for the default. */
  foreground: string | null;
  background: string | null;
}

/** One row of a pane: its text without escape sequences, trailing blanks removed, U+00A0 as a blank, and the same in runs. */
export interface StyledRow {
  text: string;
  runs: readonly StyledRun[];
}
