import { type Dialog, type DialogKind, dialogOf } from '../../screen/dialog.js';
import type { StyledRow } from '../../screen/styled-rows.js';
import {
  type ClaudeScreenRules,
  hasLeft,
  isAnswerRow,
  isPanelEdge,
  isPromptRow,
  isRule,
  lastVisible,
} from './claude-screen-rules.js';

/** The number of rows above its choices at which a dialog may begin: the file or plan that it shows can be long. */
const mostRowsAbove = 80;
/** The number of rows between the marked choice and another one: each may have a description, and a blank row after it. */
const choiceReach = 12;
/** The numbers of rows at the beginning and the end that are kept of a long dialog. */
const excerptRows = { first: 10, last: 30 };
const hintRows = 3;
const markers = '❯';

const keyHint =
  /\b(?:enter|return) to [a-z]+|\besc(?:ape)? to (?:cancel|exit|close|go back|return|dismiss)|↑\/?↓ to [a-z]+/i;

/**
 * Finds the dialog at the bottom of the screen: a list with one marked choice, or, if there is no composer, a row that names
 * keys. Null if there is none.
 */
export function findDialog(
  rows: readonly StyledRow[],
  composerVisible: boolean,
  rules: ClaudeScreenRules,
): Dialog | null {
  const texts = rows.map((row) => withoutFrame(row.text));
  if (hasLeft(lastVisible(rows))) return null;
  const candidates = [markedChoice(texts), composerVisible ? null : hintRow(texts)];
  const bottom = candidates.find((at) => at !== null && !goesOn(texts.slice(at + 1), rules)) ?? null;
  if (bottom === null) return null;
  const shown = texts.slice(startOf(texts, bottom, rules), texts.findLastIndex((text) => text !== '') + 1);
  const dialog = shown.slice(shown.findIndex((row) => row !== ''));
  return dialogOf(dialogKind(dialog), dialog, markers, excerptOf(dialog));
}

/** Removes the frame, which older dialogs have. */
const withoutFrame = (text: string): string => text.replace(/^│(.*?) *│?$/, '$1').trimEnd();

function hintRow(texts: readonly string[]): number | null {
  const visible = texts.flatMap((text, index) => (text === '' ? [] : [index])).slice(-hintRows);
  return visible.findLast((index) => keyHint.test(texts[index]!)) ?? null;
}

/** Finds the last row with the sign before a choice, if other choices stand in the same column. */
function markedChoice(texts: readonly string[]): number | null {
  const at = texts.findLastIndex((text) => /^ *❯ +[^\s/]/.test(text));
  if (at < 0) return null;
  const text = texts[at]!;
  const column = /^ *❯ +/.exec(text)![0].length;
  const near = [
    ...texts.slice(Math.max(0, at - choiceReach), at),
    ...texts.slice(at + 1, at + 1 + choiceReach),
  ];
  const others = near.filter((other) => other.search(/\S/) === column);
  if (others.length === 0) return null;
  // In the first column the sign also stands before a prompt of the conversation, whose other lines are indented.
  const numbered =
    /^[0-9]+\. /.test(text.slice(column)) && others.some((other) => /^ *[0-9]+\. /.test(other));
  return text.startsWith(' ') || numbered ? at : null;
}

/** Recognizes that the conversation continues below: then the dialog is an earlier one. */
const goesOn = (below: readonly string[], rules: ClaudeScreenRules): boolean =>
  below.some((text) => isPromptRow(text) || isAnswerRow(text, rules));

function startOf(texts: readonly string[], bottom: number, rules: ClaudeScreenRules): number {
  const first = Math.max(0, bottom - mostRowsAbove);
  for (let at = bottom - 1; at >= first; at -= 1) {
    const text = texts[at]!;
    if (isRule(text) || isPanelEdge(text) || isAnswerRow(text, rules)) return at + 1;
  }
  return first;
}

function excerptOf(dialog: readonly string[]): string {
  const { first, last } = excerptRows;
  const shownRows =
    dialog.length <= first + last ? dialog : [...dialog.slice(0, first), '…', ...dialog.slice(-last)];
  return shownRows.join('\n').replace(/\bsk-ant-\S+/g, '[redacted]');
}

/** Words at the beginning of a row that show the subject of a dialog. The first kind with a match is taken. */
const signs: readonly { kind: DialogKind; opening: RegExp }[] = [
  { kind: 'trust', opening: /^(?:Accessing workspace:|Do you trust\b|Yes, I (?:trust|accept)\b)/ },
  {
    kind: 'permission',
    opening:
      /^(?:Do you want to (?!use\b)|Would you like to proceed\b|(?:Allow|Approve) .*\?$|.*\bTab to amend\b)/,
  },
  {
    kind: 'login',
    opening:
      /^(?:Select login method\b|Log ?in\b|Sign in\b|Browser didn['’]t open\b|Paste code here\b|Authenticat)/i,
  },
  {
    kind: 'update',
    opening: /^(?:Update (?:now|and restart|Claude)|(?:An? )?(?:new version|update) .*available\b)/i,
  },
];

/** @param rows the rows of the dialog from its first to its last. */
function dialogKind(rows: readonly string[]): DialogKind {
  const openings = rows.map((row) => row.replace(/^ *(?:❯ +)?(?:[0-9]+\. )?/, ''));
  return signs.find(({ opening }) => openings.some((row) => opening.test(row)))?.kind ?? 'selection';
}
