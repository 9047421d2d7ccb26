// Turns the keys that are typed into the console's terminal into those that the contract names. Pure.

const named: ReadonlyMap<string, string> = new Map([
  ['\r', 'Enter'],
  ['\n', 'Enter'],
  ['\t', 'Tab'],
  ['\x7f', 'BSpace'],
  ['\x1b', 'Escape'],
  ['\x1b[A', 'Up'],
  ['\x1b[B', 'Down'],
  ['\x1b[C', 'Right'],
  ['\x1b[D', 'Left'],
  ['\x1bOA', 'Up'],
  ['\x1bOB', 'Down'],
  ['\x1bOC', 'Right'],
  ['\x1bOD', 'Left'],
  ['\x03', 'C-c'],
  ['\x04', 'C-d'],
  ['\x15', 'C-u'],
  ['\x1a', 'C-z'],
]);

/** The keys of one call: a named key, or text as it is. */
export type TypedKeys = { readonly sequence: string; readonly escape_special_keys: boolean };

export interface Typed {
  readonly calls: readonly TypedKeys[];
  /** Blanks that wait for the next key: the contract takes none alone. */
  readonly held: string;
}

/**
 * Turns what xterm reports into calls of `sendKeys`, in order. A control character or sequence that the contract has no name for is
 * left out. Text goes as literal text, since it may contain the signs of a named key.
 * @param held the blanks that wait since the last call.
 */
export function keysOf(data: string, held: string): Typed {
  const calls: TypedKeys[] = [];
  let waiting = held;
  for (const piece of piecesOf(data)) {
    const name = named.get(piece);
    if (name !== undefined) {
      calls.push({ sequence: `${waiting}<[${name}]>`, escape_special_keys: false });
      waiting = '';
    } else if (piece.trim() === '') waiting += piece;
    else {
      calls.push({ sequence: waiting + piece, escape_special_keys: true });
      waiting = '';
    }
  }
  return { calls, held: waiting };
}

function piecesOf(data: string): string[] {
  if (named.has(data)) return [data];
  const isPaste = data.startsWith(pasteBegins);
  if (data.startsWith('\x1b') && !isPaste) return [];
  const text = data.replaceAll(pasteBegins, '').replaceAll(pasteEnds, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they separate the keys from the text
  return text.match(/[\r\n\t\x03\x04\x15\x1a\x7f]|[^\x00-\x1f\x7f]+/g) ?? [];
}

const pasteBegins = '\x1b[200~';
const pasteEnds = '\x1b[201~';
