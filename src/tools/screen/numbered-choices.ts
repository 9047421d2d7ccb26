/** A numbered choice of a list. */
export interface NumberedChoice {
  /** Its own, or its place where the screen gives it none. */
  number: number;
  /** Its row without number and mark; what a choice means may go on in the next rows. */
  label: string;
  /** Whether Enter would choose it. */
  marked: boolean;
}

/** A list of numbered choices: the rows of its first and its last, and what can be chosen, in their order. */
export interface NumberedChoices {
  first: number;
  last: number;
  choices: readonly NumberedChoice[];
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
  const at = rows.findLastIndex((row) => choiceIn(row, markers)?.marked === true);
  const marked = at < 0 ? null : choiceAt(rows, at, markers);
  if (marked === null) return null;
  const list = [
    ...reached(rows, markers, marked, -1).reverse(),
    marked,
    ...reached(rows, markers, marked, 1),
  ];
  if (list.length === 1) return null;
  return {
    first: list[0]!.row,
    last: list.at(-1)!.row,
    choices: list.map(({ number, label, marked }) => ({ number, label, marked })),
  };
}

interface ChoiceAt extends NumberedChoice {
  row: number;
}

/** The choices that are reached from one by counting up or down, the nearest first. */
function reached(rows: readonly string[], markers: string, start: ChoiceAt, step: 1 | -1): ChoiceAt[] {
  const found: ChoiceAt[] = [];
  for (;;) {
    const next = neighbour(rows, markers, found.at(-1) ?? start, step);
    if (next === null) return found;
    found.push(next);
  }
}

function neighbour(rows: readonly string[], markers: string, from: ChoiceAt, step: 1 | -1): ChoiceAt | null {
  for (let distance = 1; distance <= mostRowsBetween + 1; distance += 1) {
    const choice = choiceAt(rows, from.row + step * distance, markers);
    if (choice !== null) return choice.number === from.number + step ? choice : null;
  }
  return null;
}

function choiceAt(rows: readonly string[], row: number, markers: string): ChoiceAt | null {
  const choice = choiceIn(rows[row] ?? '', markers);
  return choice && { ...choice, row };
}

function choiceIn(row: string, markers: string): NumberedChoice | null {
  const match = /^\s*(\S\s+)?([0-9]{1,2})\.\s+(\S.*)/.exec(row);
  if (match === null) return null;
  const marker = match[1]?.trim();
  if (marker !== undefined && !markers.includes(marker)) return null;
  return { number: Number(match[2]), label: match[3]!.trimEnd(), marked: marker !== undefined };
}
