import type { DialogKind } from '../../screen/dialog.js';

/** Words at the beginning of a row that tell what a dialog is about; the first kind that has one of them is it. */
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
export function dialogKind(rows: readonly string[]): DialogKind {
  const openings = rows.map((row) => row.replace(/^ *(?:❯ +)?(?:[0-9]+\. )?/, ''));
  return signs.find(({ opening }) => openings.some((row) => opening.test(row)))?.kind ?? 'selection';
}
