/** An action at the keyboard, by a person or by a program. */
export type InputEvent =
  | { kind: 'text'; text: string }
  | { kind: 'paste'; text: string }
  | { kind: 'key'; key: Key };

/** `newline` is a line break that does not submit: Ctrl-J, or Enter with Alt. */
export type Key =
  | 'enter'
  | 'newline'
  | 'escape'
  | 'tab'
  | 'backspace'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'ctrl-c'
  | 'ctrl-d'
  | 'ctrl-u';

/** The bytes of an incomplete sequence, one character for each byte. */
export type InputRest = string;

export interface DecodedInput {
  events: InputEvent[];
  rest: InputRest;
}

const esc = '\u001b';
const pasteStart = `${esc}[200~`;
const pasteEnd = `${esc}[201~`;

const controlKeys: ReadonlyMap<string, Key> = new Map([
  ['\r', 'enter'],
  ['\n', 'newline'],
  ['\t', 'tab'],
  ['\u0003', 'ctrl-c'],
  ['\u0004', 'ctrl-d'],
  ['\u0008', 'backspace'],
  ['\u0015', 'ctrl-u'],
  ['\u007f', 'backspace'],
]);
const arrows: ReadonlyMap<string, Key> = new Map([
  ['A', 'up'],
  ['B', 'down'],
  ['C', 'right'],
  ['D', 'left'],
]);

/**
 * Decodes input from a terminal in raw mode. Text is reported one character at a time and a paste as a whole, so that the same
 * bytes give the same events wherever they are cut. Sequences without a meaning here are dropped.
 */
export function decodeInput(rest: InputRest, chunk: Uint8Array): DecodedInput {
  const bytes = rest + Buffer.from(chunk).toString('latin1');
  const events: InputEvent[] = [];
  let at = 0;
  while (at < bytes.length) {
    const one = readOne(bytes, at);
    if (one === null) break;
    events.push(...one.events);
    at = one.end;
  }
  return { events, rest: bytes.slice(at) };
}

/** Decodes the rest when no input has followed it for a while: an ESC alone was the Escape key. */
export function flushInput(rest: InputRest): DecodedInput {
  if (!rest.startsWith(esc) || rest.startsWith(pasteStart)) return { events: [], rest };
  const { events, rest: unfinished } = decodeInput('', Buffer.from(rest.slice(1), 'latin1'));
  return { events: [keyEvent('escape'), ...events], rest: unfinished };
}

interface ReadEvents {
  events: InputEvent[];
  end: number;
}

/** Decodes the sequence that begins at a byte; null if its end is missing. */
function readOne(bytes: string, at: number): ReadEvents | null {
  const byte = bytes[at] ?? '';
  if (byte === esc) return readEscape(bytes, at);
  const key = controlKeys.get(byte);
  if (key !== undefined) return { events: [keyEvent(key)], end: at + 1 };
  if (byte < ' ') return { events: [], end: at + 1 };
  return readCharacter(bytes, at);
}

function readEscape(bytes: string, at: number): ReadEvents | null {
  const next = bytes[at + 1];
  if (next === undefined) return null;
  if (next === '[') return readControlSequence(bytes, at);
  if (next === '\r') return { events: [keyEvent('newline')], end: at + 2 };
  if (next === 'O') {
    const last = bytes[at + 2];
    return last === undefined ? null : { events: arrowEvents(last), end: at + 3 };
  }
  return { events: [keyEvent('escape')], end: at + 1 };
}

function readControlSequence(bytes: string, at: number): ReadEvents | null {
  let end = at + 2;
  while (isBetween(bytes[end], '0', '?')) end += 1;
  while (isBetween(bytes[end], ' ', '/')) end += 1;
  const last = bytes[end];
  if (last === undefined) return null;
  if (!isBetween(last, '@', '~')) return { events: [keyEvent('escape')], end: at + 1 };
  end += 1;
  if (bytes.slice(at, end) !== pasteStart) return { events: arrowEvents(last), end };
  const close = bytes.indexOf(pasteEnd, end);
  if (close === -1) return null;
  return { events: [{ kind: 'paste', text: utf8(bytes.slice(end, close)) }], end: close + pasteEnd.length };
}

function readCharacter(bytes: string, at: number): ReadEvents | null {
  const length = characterLength(bytes.charCodeAt(at));
  for (let index = at + 1; index < at + length; index += 1) {
    const byte = bytes[index];
    if (byte === undefined) return null;
    if (!isBetween(byte, '\u0080', '\u00bf')) return { events: [textEvent('\ufffd')], end: at + 1 };
  }
  return { events: [textEvent(utf8(bytes.slice(at, at + length)))], end: at + length };
}

/** Returns the length of a UTF-8 character by its first byte. */
function characterLength(byte: number): number {
  if (byte >= 0xf0 && byte < 0xf8) return 4;
  if (byte >= 0xe0) return byte < 0xf0 ? 3 : 1;
  return byte >= 0xc0 ? 2 : 1;
}

const isBetween = (byte: string | undefined, first: string, last: string): boolean =>
  byte !== undefined && byte >= first && byte <= last;
const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');
const keyEvent = (key: Key): InputEvent => ({ kind: 'key', key });
const textEvent = (text: string): InputEvent => ({ kind: 'text', text });

function arrowEvents(last: string): InputEvent[] {
  const key = arrows.get(last);
  return key === undefined ? [] : [keyEvent(key)];
}
