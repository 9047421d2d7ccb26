/** The style in which a terminal draws the next characters. */
export interface Pen {
  readonly dim: boolean;
  readonly inverse: boolean;
  /** The attributes that are neither dim nor inverse nor a colour, a bit each. */
  readonly others: number;
  readonly foreground: string | null;
  readonly background: string | null;
}

export const plainPen: Pen = { dim: false, inverse: false, others: 0, foreground: null, background: null };

/** The attributes by their code, with the code that ends them; 21 is a double underline. */
const otherAttributes: ReadonlyMap<number, { bit: number; endedBy: number }> = new Map([
  [1, { bit: 1, endedBy: 22 }],
  [3, { bit: 2, endedBy: 23 }],
  [4, { bit: 4, endedBy: 24 }],
  [5, { bit: 8, endedBy: 25 }],
  [6, { bit: 16, endedBy: 25 }],
  [8, { bit: 32, endedBy: 28 }],
  [9, { bit: 64, endedBy: 29 }],
  [21, { bit: 128, endedBy: 24 }],
  [53, { bit: 256, endedBy: 55 }],
]);
const endedBits: ReadonlyMap<number, number> = sumOfEndedBits();

function sumOfEndedBits(): Map<number, number> {
  const bits = new Map<number, number>();
  for (const { bit, endedBy } of otherAttributes.values()) bits.set(endedBy, (bits.get(endedBy) ?? 0) | bit);
  return bits;
}

/** Returns the pen after `ESC[<parameters>m`. Unknown parameters change nothing. */
export function penAfter(pen: Pen, parameters: string): Pen {
  const items = parameters.split(';');
  let next = pen;
  for (let at = 0; at < items.length; at += 1) {
    const [first = '', ...subs] = items[at]!.split(':');
    const code = Number(first);
    if (code === 38 || code === 48 || code === 58) {
      const colour = subs.length > 0 ? colourOfSubParameters(subs) : colourOfParameters(items.slice(at + 1));
      at += subs.length > 0 ? 0 : colour.taken;
      next = withColour(next, code, colour.text);
    } else {
      next = penAfterCode(next, code === 4 && subs[0] === '0' ? 24 : code);
    }
  }
  return next;
}

/**
 * Returns a `penAfter` with a cache: it reads the same parameters after the same pen once, and returns the same object for the
 * same style. A screen has few of both.
 */
export function rememberedPens(): typeof penAfter {
  const styles = new Map<string, Pen>();
  const known = new Map<Pen, Map<string, Pen>>();
  const theOneLike = (pen: Pen): Pen => {
    const style = JSON.stringify(pen);
    const one = styles.get(style) ?? pen;
    styles.set(style, one);
    return one;
  };
  return (pen, parameters) => {
    const after = known.get(pen) ?? new Map<string, Pen>();
    known.set(pen, after);
    const next = after.get(parameters) ?? theOneLike(penAfter(pen, parameters));
    after.set(parameters, next);
    return next;
  };
}

function penAfterCode(pen: Pen, code: number): Pen {
  switch (code) {
    case 0:
      return plainPen;
    case 2:
      return { ...pen, dim: true };
    case 7:
      return { ...pen, inverse: true };
    case 22:
      return { ...pen, dim: false, others: withoutEnded(pen, code) };
    case 27:
      return { ...pen, inverse: false };
    case 39:
      return { ...pen, foreground: null };
    case 49:
      return { ...pen, background: null };
    default: {
      if (isBasicColour(code, 30)) return { ...pen, foreground: String(code) };
      if (isBasicColour(code, 40)) return { ...pen, background: String(code) };
      const others = withoutEnded(pen, code) | (otherAttributes.get(code)?.bit ?? 0);
      return others === pen.others ? pen : { ...pen, others };
    }
  }
}

const withoutEnded = (pen: Pen, code: number): number => pen.others & ~(endedBits.get(code) ?? 0);

/** Recognizes the sixteen basic colours: 30 to 37 and 90 to 97 for the foreground, 40 to 47 and 100 to 107 for the background. */
const isBasicColour = (code: number, base: number): boolean =>
  (code >= base && code <= base + 7) || (code >= base + 60 && code <= base + 67);

function withColour(pen: Pen, code: 38 | 48 | 58, colour: string | null): Pen {
  // 58 sets the colour of an underline, which does not belong to the style of the text.
  if (colour === null || code === 58) return pen;
  return code === 38 ? { ...pen, foreground: colour } : { ...pen, background: colour };
}

function colourOfParameters(items: readonly string[]): { text: string | null; taken: number } {
  const taken = items[0] === '5' ? 2 : items[0] === '2' ? 4 : 1;
  const parts = items.slice(0, taken);
  return { text: taken > 1 && parts.length === taken ? parts.join(';') : null, taken };
}

// The forms are 38:5:n, 38:2:r:g:b and 38:2:<colour space>:r:g:b with more after it.
function colourOfSubParameters(subs: readonly string[]): { text: string | null; taken: number } {
  const [kind, ...values] = subs;
  const wanted =
    kind === '5'
      ? values.slice(0, 1)
      : kind === '2'
        ? values.slice(values.length > 3 ? 1 : 0).slice(0, 3)
        : [];
  const complete = wanted.length === (kind === '5' ? 1 : 3) && wanted.every((value) => value !== '');
  return { text: complete ? [kind, ...wanted].join(';') : null, taken: 0 };
}

/** An escape sequence of a terminal. */
interface EscapeSequence {
  /** The index at which the text continues. */
  end: number;
  /** The part between `ESC[` and `m` of a sequence that sets the style; null for any other sequence. */
  sgr: string | null;
}

export const escapeCharacter = '\u001b';
const bell = '\u0007';
const stringTerminator = '\u009c';

/**
 * Reads the sequence that begins with the ESC at `start`. A sequence that is cut off, also by the end of the row, ends at the
 * cut: the rest is text.
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

// The content of OSC, DCS, SOS, PM and APC ends with BEL or ST.
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

// Beyond the end of the text the code is NaN, which is in no range.
function isBetween(text: string, at: number, first: number, last: number): boolean {
  const code = text.charCodeAt(at);
  return code >= first && code <= last;
}
