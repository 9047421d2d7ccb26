import type { StyledRow } from '../../../src/tools/screen/styled-rows.js';

/** Rows without styles. */
export const plainRows = (...texts: readonly string[]): StyledRow[] =>
  texts.map((text) => ({
    text,
    runs: [{ text, dim: false, inverse: false, otherAttribute: false, foreground: null, background: null }],
  }));
