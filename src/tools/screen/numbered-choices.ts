/** Where a list of numbered choices stands, as indices of rows. */
export interface NumberedChoices {
  first: number;
  last: number;
}

/** Rows between two choices: what a choice means, or how its text goes on. */
const mostRowsBetween = 3;

/**
 * The last list of at least two numbered choices of which one is marked, as menus have it:
 *
 *     › 1. Yes
 *       2. No
 *
 * @param markers the characters that mark a choice.
 */
export function numberedChoices(rows: readonly string[], markers: string): NumberedChoices | null {
  const marked = rows.findLastIndex((row) => choiceIn(row, markers)?.marked === true);
  const number = marked < 0 ? undefined : choiceIn(rows[marked]!, markers)?.number;
  if (number === undefined) return null;
  const first = furthest(rows, markers, { row: marked, number }, -1);
  const last = furthest(rows, markers, { row: marked, number }, 1);
  return first === last ? null : { first, last };
}

interface Choice {
  row: number;
  number: number;
}

/** The row of the last choice that is reached from one by counting up or down. */
function furthest(rows: readonly string[], markers: string, start: Choice, step: 1 | -1): number {
  let reached = start;
  for (;;) {
    const next = neighbour(rows, markers, reached, step);
    if (next === null) return reached.row;
    reached = next;
  }
}

function neighbour(rows: readonly string[], markers: string, from: Choice, step: 1 | -1): Choice | null {
  for (let distance = 1; distance <= mostRowsBetween + 1; distance += 1) {
    const row = from.row + step * distance;
    const choice = choiceIn(rows[row] ?? '', markers);
    if (choice !== null) return choice.number === from.number + step ? { row, number: choice.number } : null;
  }
  return null;
}

function choiceIn(row: string, markers: string): { number: number; marked: boolean } | null {
  const match = /^\s*(\S\s+)?([0-9]{1,2})\.\s+\S/.exec(row);
  if (match === null) return null;
  const marker = match[1]?.trim();
  if (marker !== undefined && !markers.includes(marker)) return null;
  return { number: Number(match[2]), marked: marker !== undefined };
}
