/** An escape sequence of a terminal. */
export interface EscapeSequence {
  /** Where the text goes on. */
  end: number;
  /** Of a sequence that sets the style of what follows, what stands between `ESC[` and `m`; null for any other. */
  sgr: string | null;
}

export const escapeCharacter = '\u001b';
const bell = '\u0007';
const stringTerminator = '\u009c';

/**
 * Reads the sequence that begins with the ESC at `start`. One that is cut off, by the end of the row too, ends where it
 * is cut: what follows is text.
 */
export function readEscape(text: string, start: number): EscapeSequence {
  const introducer = text[start + 1];
  if (introducer === '[') return readControlSequence(text, start + 2);
  if (introducer !== undefined && ']PX^_'.includes(introducer)) {
    return { end: endOfControlString(text, start + 2), sgr: null };
  }
  const final = skipRange(text, start + 1, 0x20, 0x2f);
  return { end: isBetween(text, final, 0x30, 0x7e) ? final + 1 : final, sgr: null };
}

function readControlSequence(text: string, parameters: number): EscapeSequence {
  const intermediates = skipRange(text, parameters, 0x30, 0x3f);
  const final = skipRange(text, intermediates, 0x20, 0x2f);
  if (!isBetween(text, final, 0x40, 0x7e)) return { end: final, sgr: null };
  const isSgr = text[final] === 'm' && final === intermediates && !isBetween(text, parameters, 0x3c, 0x3f);
  return { end: final + 1, sgr: isSgr ? text.slice(parameters, final) : null };
}

// OSC, DCS, SOS, PM and APC: what they say goes on to BEL or ST.
function endOfControlString(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === bell || character === stringTerminator) return at + 1;
    if (character === escapeCharacter) return text[at + 1] === '\\' ? at + 2 : at;
    if (character === '\n') return at;
  }
  return text.length;
}

function skipRange(text: string, start: number, first: number, last: number): number {
  let at = start;
  while (isBetween(text, at, first, last)) at += 1;
  return at;
}

// Beyond the end of the text the code is NaN, which is between nothing.
function isBetween(text: string, at: number, first: number, last: number): boolean {
  const code = text.charCodeAt(at);
  return code >= first && code <= last;
}
