/** A prompt as it can be typed into a terminal. */
export interface TypeableText {
  text: string;
  /** How many characters were left out: they would be keys, or end the paste. */
  removed: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose.
const pasteMarks = /\u001b\[20[01]~|\u009b20[01]~/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Keeps tabs and line breaks (each becomes a line feed) and leaves every other control character out: ESC, C0, C1, DEL and the
 * marks of a bracketed paste, which would end it (docs/decisions.md#text-for-a-terminal).
 */
export function typeableText(prompt: string): TypeableText {
  const lines = prompt.replace(/\r\n?/g, '\n');
  const text = lines.replace(pasteMarks, '').replace(controls, '');
  return { text, removed: lines.length - text.length };
}
