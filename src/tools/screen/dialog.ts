import { type NumberedChoice, type NumberedChoices, numberedChoices } from './numbered-choices.js';

/** What a terminal waits for a person to answer (docs/decisions.md#terminal-dialogs). */
export type DialogKind = 'permission' | 'trust' | 'login' | 'update' | 'selection';

/** A question to a person that stands on the screen. */
export interface Dialog {
  kind: DialogKind;
  /** Its rows, for people. */
  excerpt: string;
  /** The choices, in the order of the screen; empty where it has no list of which one is marked. */
  choices: readonly NumberedChoice[];
  /** The same for as long as this question stands, whichever choice is marked. */
  question: string;
}

/**
 * A dialog of the rows that show it. What stands below the choices, such as the keys that answer, may change with the choice
 * that is marked, and is no part of the question.
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
 * A list without numbers, of which one row is marked: the rows beside it that begin in the same column, counted from one. What is
 * indented deeper goes on a choice.
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
