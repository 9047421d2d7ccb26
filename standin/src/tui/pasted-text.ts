// What is no text of its own: control sequences of a terminal, and control characters but tab and line breaks.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const controls = /\u001b\[[0-?]*[ -/]*[@-~]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
const invisible = /[\u200b\u200c\u2060\ufeff]|[\u{e0000}-\u{e007f}]/gu;
const bidi = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text as Claude Code puts it into its box: CR, LF and U+2028 each become a line break (so CR LF becomes two), a tab four blanks,
 * and invisible characters and control sequences go.
 */
export function composerText(text: string): string {
  return text
    .replace(controls, '')
    .replace(/[\r\u2028]/g, '\n')
    .replaceAll('\t', '    ')
    .replace(invisible, '');
}

/** Without characters that turn the direction of writing; the box asks for a second look when it removed some. */
export function withoutBidi(text: string): { text: string; removed: number } {
  const removed = text.match(bidi)?.length ?? 0;
  return { text: text.replace(bidi, ''), removed };
}

const longestShownPaste = 800;
const mostShownBreaks = 2;

/** What stands in the box for a paste that is too large for it; null for one that is shown. */
export function placeholderOf(text: string, number: number): string | null {
  const breaks = text.split('\n').length - 1;
  if (breaks <= mostShownBreaks && text.length <= longestShownPaste) return null;
  return breaks === 0 ? `[Pasted text #${number}]` : `[Pasted text #${number} +${breaks} lines]`;
}
