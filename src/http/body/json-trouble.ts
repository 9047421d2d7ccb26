// Finds where a text stops being JSON. Node's own messages say it only in some cases and releases.

const blank = /[ \t\n\r]*/y;
const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** How much of a string is matched at once: one by one, millions of escapes would take seconds. */
const stringPart = /(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,4096}/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | 'rest';

/** Finds the first character at which the text is not JSON; the text's length when it ends too early. */
export function jsonTrouble(text: string): { offset: number; reason: string } {
  const offset = troubleAt(text);
  const reason = offset >= text.length ? 'Unexpected end of the text' : `Not JSON at character ${offset}`;
  return { offset, reason };
}

function troubleAt(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found !== null;
  };
  /** @returns false when the string breaks off; `at` is then the place. */
  const skipString = (): boolean => {
    at += 1;
    while (skip(stringPart)) {
      // It goes on.
    }
    if (text[at] !== '"') return false;
    at += 1;
    return true;
  };
  for (;;) {
    skip(blank);
    const next = text[at];
    if (next === undefined) return at;
    switch (expected) {
      case 'value or ]':
      case 'value':
        if (next === ']' && expected === 'value or ]') {
          open.pop();
          expected = 'rest';
          at += 1;
        } else if (next === '{' || next === '[') {
          open.push(next);
          expected = next === '{' ? 'key or }' : 'value or ]';
          at += 1;
        } else {
          if (next === '"' ? !skipString() : !skip(literal)) return at;
          expected = 'rest';
        }
        break;
      case 'key or }':
      case 'key':
        if (next === '}' && expected === 'key or }') {
          open.pop();
          expected = 'rest';
          at += 1;
        } else {
          if (next !== '"' || !skipString()) return at;
          expected = ':';
        }
        break;
      case ':':
        if (next !== ':') return at;
        expected = 'value';
        at += 1;
        break;
      case 'rest': {
        const inside = open.at(-1);
        if (next === ',' && inside !== undefined) expected = inside === '{' ? 'key' : 'value';
        else if (inside !== undefined && next === (inside === '{' ? '}' : ']')) open.pop();
        else return at;
        at += 1;
      }
    }
  }
}
