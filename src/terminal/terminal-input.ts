/** The keys that a sequence may name, by their names in tmux. */
export const keyNames = [
  'BSpace',
  'C-c',
  'C-d',
  'C-u',
  'C-z',
  'Down',
  'Enter',
  'Escape',
  'Left',
  'Right',
  'Tab',
  'Up',
] as const;
export type KeyName = (typeof keyNames)[number];

/** Keys that only our own code presses; a sequence cannot name them. */
type EditingKey = 'C-k' | 'DC';

/** A part of a sequence: text that is typed unchanged, or one key. */
export type KeySegment = { text: string } | { key: KeyName | EditingKey };

/** A sequence that cannot be typed as a whole; no part of it is sent. */
export class UnsendableKeys extends Error {}

/** A sequence names a key that cannot be pressed. */
export class UnknownKey extends UnsendableKeys {
  override readonly name = 'UnknownKey';
  /** @param token as in the sequence, such as `<[F1]>`. */
  constructor(token: string) {
    super(
      `The key ${token} cannot be sent; supported are BSpace, C-c, C-d, C-u, C-z, Down, Enter, Escape, Left, Right, Tab, Up.`,
    );
  }
}

/** A sequence holds a character that is a key, and not text. */
export class ControlCharacter extends UnsendableKeys {
  override readonly name = 'ControlCharacter';
  constructor(character: string) {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    super(
      `The sequence has the control character U+${code}; it may have tab and line feed only, and names keys, such as <[C-c]>.`,
    );
  }
}

/** All control characters except tab and line feed. */
const controlCharacter = /(?![\t\n])\p{Cc}/u;
const token = /<\[([^\s<>[\]]+)\]>/g;

/**
 * Parses a sequence such as `/model<[Enter]>`: `<[NAME]>` is a key if NAME has no blank and none of `<>[]`; everything else is
 * text, even if it looks nearly like a key (docs/decisions.md#key-sequences).
 * @param literal takes the whole sequence as text.
 * @throws {UnsendableKeys}
 */
export function parseKeySequence(sequence: string, { literal = false } = {}): KeySegment[] {
  const unsendable = controlCharacter.exec(sequence);
  if (unsendable) throw new ControlCharacter(unsendable[0]);
  if (literal) return textOf(sequence);
  const segments: KeySegment[] = [];
  let read = 0;
  for (const { 0: found, 1: name, index } of sequence.matchAll(token)) {
    if (!isKeyName(name)) throw new UnknownKey(found);
    segments.push(...textOf(sequence.slice(read, index)), { key: name });
    read = index + found.length;
  }
  return [...segments, ...textOf(sequence.slice(read))];
}

/** Returns the sequence with exactly one `<[Enter]>` at its end. */
export const withOneEnter = (sequence: string): string =>
  `${sequence.replace(/(?:<\[Enter\]>)+$/, '')}<[Enter]>`;

const textOf = (text: string): KeySegment[] => (text === '' ? [] : [{ text }]);

const isKeyName = (name: string | undefined): name is KeyName => keyNames.some((known) => known === name);

/** The text of a prompt that can be typed into a terminal. */
interface TypeableText {
  text: string;
  /** The number of characters that were left out: they would be keys, or end the paste. */
  removed: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose.
const pasteMarks = /\u001b\[20[01]~|\u009b20[01]~/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Keeps tabs and line breaks (each becomes a line feed) and removes every other control character: ESC, C0, C1, DEL and the marks
 * of a bracketed paste, which would end it (docs/decisions.md#text-for-a-terminal).
 */
export function typeableText(prompt: string): TypeableText {
  const lines = prompt.replace(/\r\n?/g, '\n');
  const text = lines.replace(pasteMarks, '').replace(controls, '');
  return { text, removed: lines.length - text.length };
}
