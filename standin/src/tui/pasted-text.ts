// Not text: control sequences of a terminal, and control characters except tab and line breaks.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const controls = /\u001b\[[0-?]*[ -/]*[@-~]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
const invisible = /[\u200b\u200c\u2060\ufeff]|[\u{e0000}-\u{e007f}]/gu;
const bidi = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Converts text as Claude Code does for its box: CR, LF and U+2028 each become a line break (so CR LF becomes two), a tab becomes
 * four blanks, and invisible characters and control sequences are removed.
 */
export function composerText(text: string): string {
  return text
    .replace(controls, '')
    .replace(/[\r\u2028]/g, '\n')
    .replaceAll('\t', '    ')
    .replace(invisible, '');
}

/** Removes characters that change the direction of writing; if there were any, the box asks for another Enter. */
export function withoutBidi(text: string): { text: string; removed: number } {
  const removed = text.match(bidi)?.length ?? 0;
  return { text: text.replace(bidi, ''), removed };
}

const longestShownPaste = 800;
const mostShownBreaks = 2;

/** Returns the placeholder for a paste that is too large for the box; null for one that is shown. */
export function placeholderOf(text: string, number: number): string | null {
  const breaks = text.split('\n').length - 1;
  if (breaks <= mostShownBreaks && text.length <= longestShownPaste) return null;
  return breaks === 0 ? `[Pasted text #${number}]` : `[Pasted text #${number} +${breaks} lines]`;
}
