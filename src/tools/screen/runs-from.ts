import type { StyledRow, StyledRun } from './styled-rows.js';

/** The runs of a row from a place in its text on. */
export function runsFrom(row: StyledRow, start: number): StyledRun[] {
  const runs: StyledRun[] = [];
  let at = 0;
  for (const run of row.runs) {
    const text = run.text.slice(Math.max(0, start - at));
    at += run.text.length;
    if (text !== '') runs.push({ ...run, text });
  }
  return runs;
}
