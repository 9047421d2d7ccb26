import { type Dialog, type DialogKind, dialogOf, numberedChoices } from '../../screen/dialog.js';

const markers = '›>❯';
const mostRows = 28;
/** A dialog names the keys that answer it in one of its last two rows; a dialog in the scrollback therefore does not count. */
const lastRows = 2;

const keyHint =
  /\benter\b.*\b(?:confirm|continue|select|submit|choose|save|open)\b|\besc\b.*\b(?:cancel|back|close|exit|skip|dismiss)\b/i;

/** Dialogs without numbered choices: a word in their text, and the keys that answer them. */
const otherDialogs: readonly (readonly [RegExp, RegExp])[] = [
  [/\bQuestion [0-9]+\/[0-9]+\b/, /enter to submit (?:answer|all)|press enter to confirm or esc to go back/i],
  [/\bField [0-9]+\/[0-9]+\b/, /enter to submit \| esc to cancel/i],
  [/Install on ChatGPT|Newly installed apps can take a few minutes to appear/, keyHint],
  [/^/, /use tab \/ ↑ ↓ to move, enter to select, esc to close/i],
  [
    /^\s*Select (?:Model|Reasoning|Personality|Approval|Model and Effort)\b/m,
    /press enter to confirm or esc/i,
  ],
];

/** The first match decides: the command in a permission dialog may contain any words. */
const titles: readonly (readonly [DialogKind, RegExp])[] = [
  ['permission', /would you like to (?:run|grant|make|apply)\b|needs your approval/i],
  ['trust', /\btrust (?:this|the)\b|\bdo you trust\b|\ballow codex to work in this folder\b/i],
  ['permission', /\ballow codex\b|\bdo you want to (?:approve|allow|run)\b/i],
  ['login', /\bsign in\b|\blog ?in\b|\bauthenticat|\bAPI key\b/i],
  ['update', /\bupdate (?:available|now)\b|\bnew version\b/i],
];

/** Finds the dialog at the bottom of the screen; null if there is none. @param texts rows without trailing blanks. */
export function findCodexDialog(texts: readonly string[]): Dialog | null {
  const end = texts.findLastIndex((text) => text !== '') + 1;
  const rows = texts.slice(Math.max(0, end - mostRows), end);
  const hint = rows.findLastIndex((text) => keyHint.test(text));
  const below = rows.slice(hint + 1).filter((text) => text !== '').length;
  if (hint < 0 || below >= lastRows) return null;
  const choices = numberedChoices(rows, markers);
  const asks = choices !== null && choices.last < hint && onlyIndented(rows.slice(choices.last + 1, hint));
  const dialog = rows.slice(asks ? startOf(rows, choices.first, notOfList) : startOf(rows, hint, notOfForm));
  if (!asks && !isOtherDialog(dialog)) return null;
  return dialogOf(kindOf(dialog), withoutMargins(dialog), markers);
}

/** An arrow in the first column, which shows that a list continues, is allowed as well. */
const onlyIndented = (rows: readonly string[]): boolean => rows.every((row) => /^(?:\s|$|[↑↓]$)/.test(row));

function isOtherDialog(rows: readonly string[]): boolean {
  const text = rows.join('\n');
  const keys = rows.slice(-lastRows - 1).join('\n');
  if (titles[0]![1].test(text))
    return /press enter to confirm or esc to cancel|or o to open thread/i.test(keys);
  return otherDialogs.some(([word, hint]) => word.test(text) && hint.test(keys));
}

/** Returns the kind by the title. A title may continue in the next row. */
function kindOf(rows: readonly string[]): DialogKind {
  const text = rows.join(' ').replaceAll(/\s+/g, ' ');
  return titles.find(([, cue]) => cue.test(text))?.[0] ?? 'selection';
}

/** A row with a character in the first column does not belong to a dialog, except its title and the chosen entry. */
const notOfList = /^[^\s>]/;
const notOfForm = /^[^\s>›]/;

/** Returns the first row of a dialog. Above a dialog stands the transcript, or a gap of at least three rows. */
function startOf(rows: readonly string[], anchor: number, isNot: RegExp): number {
  const above = rows.findLastIndex(
    (row, index) =>
      index < anchor && (isNot.test(row) || rows.slice(index, index + 3).every((each) => each === '')),
  );
  return above + 1;
}

function withoutMargins(rows: readonly string[]): readonly string[] {
  const first = rows.findIndex((row) => row !== '');
  const indent = Math.min(
    ...rows.filter((row) => row !== '').map((row) => row.length - row.trimStart().length),
  );
  return rows.slice(first).map((row) => row.slice(indent));
}
