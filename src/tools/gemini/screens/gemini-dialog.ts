import { type Dialog, type DialogKind, dialogOf } from '../../screen/dialog.js';
import { numberedChoices } from '../../screen/numbered-choices.js';

const markers = '●';
/** Rows that may stand below the box: what goes on, the footer. */
const mostRowsBelow = 4;

const isBoxEnd = (text: string): boolean => /^\s?╰─+╯$/.test(text);
const isInBox = (text: string): boolean => /^\s?│/.test(text);

const kinds: readonly (readonly [DialogKind, RegExp])[] = [
  [
    'permission',
    /\ballow once\b|\ballow for this session\b|\ballow execution\b|\bapply this change\b|\bdo you want to proceed\b/i,
  ],
  ['trust', /\bdo you trust\b|\btrust (?:this|the|parent) folder\b/i],
  ['login', /\bhow would you like to authenticate\b|\bsign in with\b|\bAPI key\b/i],
  ['update', /\bupdate (?:available|now)\b|\bnew version\b/i],
];

/** The box with choices at the bottom of a screen, in the place of the composer; null where none is up. */
export function findGeminiDialog(texts: readonly string[]): Dialog | null {
  const end = texts.findLastIndex(isBoxEnd);
  const below = texts.slice(end + 1).filter((text) => text !== '');
  if (end < 0 || below.length > mostRowsBelow || !below.every((text) => text.startsWith(' '))) return null;
  const start = texts.findLastIndex((text, index) => index < end && !isInBox(text));
  const content = texts.slice(start + 1, end).map(withoutBorders);
  if (numberedChoices(content, markers) === null) return null;
  const text = content.join(' ').replaceAll(/\s+/g, ' ');
  const kind = kinds.find(([, cue]) => cue.test(text))?.[0] ?? 'selection';
  return dialogOf(kind, trimmedRows(content), markers);
}

const withoutBorders = (row: string): string =>
  row
    .replace(/^\s?│ ?/, '')
    .replace(/│$/, '')
    .trimEnd();

function trimmedRows(rows: readonly string[]): readonly string[] {
  const first = rows.findIndex((row) => row !== '');
  const last = rows.findLastIndex((row) => row !== '');
  return rows.slice(first, last + 1);
}
