/** The kind of question that a terminal asks a person (docs/decisions.md#terminal-dialogs). */
export type DialogKind = 'permission' | 'trust' | 'login' | 'update' | 'selection';

/** A question to a person on the screen. */
export interface Dialog {
  kind: DialogKind;
  /** Its rows as text, for people. */
  excerpt: string;
  /** The choices, in the order of the screen; empty if it has no list with a marked choice. */
  choices: readonly NumberedChoice[];
  /** Identifies this question: the same text while the question is shown, whichever choice is marked. */
  question: string;
}

/**
 * Builds a dialog from the rows that show it. The rows below the choices, such as the keys that answer, may change with the
 * marked choice and are not part of the question.
 *
 * @param rows from the first to the last row of the dialog, without its frame.
 * @param markers the characters that mark a choice.
 */
export function dialogOf(
  kind: DialogKind,
  rows: readonly string[],
  markers: string,
  excerpt = rows.join('\n'),
): Dialog {
  const list = numberedChoices(rows, markers) ?? listedChoices(rows, markers);
  const asked = list === null ? rows : rows.slice(0, list.last + 1);
  const question = [kind, ...asked.map((row) => unmarked(row, markers))].join('\n');
  return { kind, excerpt, choices: list?.choices ?? [], question };
}

/**
 * Finds a list without numbers in which one row is marked: the adjacent rows that begin in the same column, counted from one. A
 * row that is indented deeper continues the choice above it.
 */
function listedChoices(rows: readonly string[], markers: string): NumberedChoices | null {
  const label = (row: string): string => unmarked(row, markers);
  const columnOf = (row: string): number => (label(row) === '' ? -1 : row.lastIndexOf(label(row)));
  const marked = rows.findLastIndex((row) => label(row) !== '' && label(row) !== row.trim());
  if (marked < 0) return null;
  const column = columnOf(rows[marked]!);
  const belongs = (row: string | undefined): boolean => row !== undefined && columnOf(row) >= column;
  let [first, last] = [marked, marked];
  while (belongs(rows[first - 1])) first -= 1;
  while (belongs(rows[last + 1])) last += 1;
  const choices = rows
    .slice(first, last + 1)
    .filter((row) => columnOf(row) === column)
    .map((row, index) => ({ number: index + 1, label: label(row), marked: row === rows[marked] }));
  return choices.length < 2 ? null : { first, last, choices };
}

function unmarked(row: string, markers: string): string {
  const text = row.trim();
  return text !== '' && markers.includes(text[0]!) ? text.slice(1).trim() : text;
}

/** A numbered choice of a list. */
interface NumberedChoice {
  /** Its number on the screen, or its place in a list without numbers. */
  number: number;
  /** Its row without number and mark; its text may continue in the next rows. */
  label: string;
  /** Whether Enter would choose it. */
  marked: boolean;
}

/** A list of numbered choices: its first and its last row, and its choices in their order. */
interface NumberedChoices {
  first: number;
  last: number;
  choices: readonly NumberedChoice[];
}

/** The number of rows that may stand between two choices: a description, or the continuation of a choice. */
const mostRowsBetween = 3;

/**
 * Finds the last list of at least two numbered choices in which one is marked, as in a menu:
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

/** Collects the choices that counting up or down from `start` reaches, the nearest first. */
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
