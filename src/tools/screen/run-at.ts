import type { StyledRow, StyledRun } from './styled-rows.js';

/** The run that a character of the row's text belongs to; null beyond its end. */
export function runAt(row: StyledRow, index: number): StyledRun | null {
  let end = 0;
  for (const run of row.runs) {
    end += run.text.length;
    if (index < end) return run;
  }
  return null;
}
