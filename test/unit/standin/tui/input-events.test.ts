import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeInput,
  flushInput,
  type InputEvent,
  type InputRest,
  type Key,
} from '../../../../standin/src/tui/input-events.js';

/** The events of chunks, with the silence after the last of them. */
function eventsOf(chunks: readonly Uint8Array[]): InputEvent[] {
  const events: InputEvent[] = [];
  let rest: InputRest = '';
  for (const chunk of chunks) {
    const decoded = decodeInput(rest, chunk);
    events.push(...decoded.events);
    rest = decoded.rest;
  }
  return [...events, ...flushInput(rest).events];
}

const of = (text: string): InputEvent[] => eventsOf([Buffer.from(text)]);
const key = (name: Key): InputEvent => ({ kind: 'key', key: name });
const letter = (text: string): InputEvent => ({ kind: 'text', text });

const keys = {
  '\r': 'enter',
  '\n': 'newline',
  '\u001b\r': 'newline',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\u0003': 'ctrl-c',
  '\u0004': 'ctrl-d',
  '\u0015': 'ctrl-u',
  '\u001b[A': 'up',
  '\u001bOB': 'down',
  '\u001b[1;5C': 'right',
  '\u001b[D': 'left',
} as const;

const piece = fc.oneof(
  fc.constantFrom(...Object.entries(keys)).map(([bytes, name]) => ({ bytes, events: [key(name)] })),
  fc
    .string({ unit: fc.constantFrom('a', 'é', '漢', '👍', ' ', '[', 'O', '~', '2') })
    .map((bytes) => ({ bytes, events: Array.from(bytes).map(letter) })),
  fc
    .string({ unit: fc.constantFrom('a', '\r', '\n', '\t', '漢', '\u001b[', '\u0003', '201~') })
    .filter((text) => !text.includes('\u001b[201~'))
    .map((text) => ({ bytes: `\u001b[200~${text}\u001b[201~`, events: [{ kind: 'paste' as const, text }] })),
  fc.constantFrom('\u001b[I', '\u001b[<0;12;7M', '\u001b[?1;2c').map((bytes) => ({ bytes, events: [] })),
);

describe('terminal input', () => {
  test('is what was typed and pasted', () => {
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(of(pieces.map(({ bytes }) => bytes).join(''))).toEqual(
          pieces.flatMap(({ events }): readonly InputEvent[] => events),
        );
      }),
    );
  });

  test('is the same wherever its bytes are cut', () => {
    const bytes = fc.oneof(
      fc.array(piece).map((pieces) => Buffer.from(pieces.map((each) => each.bytes).join(''))),
      fc.uint8Array({ maxLength: 40 }).map((any) => Buffer.from(any)),
    );
    fc.assert(
      fc.property(bytes, fc.array(fc.nat()), (whole, cuts) => {
        const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length].sort(
          (a, b) => a - b,
        );
        const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end));
        expect(eventsOf(chunks)).toEqual(eventsOf([whole]));
      }),
    );
  });

  test.each(Object.entries(keys))('%j is a key', (bytes, name) => {
    expect(of(bytes)).toEqual([key(name)]);
  });

  test('an ESC alone is Escape once nothing follows, and at once before another key', () => {
    expect(decodeInput('', Buffer.from('\u001b'))).toEqual({ events: [], rest: '\u001b' });
    expect(of('\u001b')).toEqual([key('escape')]);
    expect(of('\u001b\u001b')).toEqual([key('escape'), key('escape')]);
    expect(of('\u001b\u0015x')).toEqual([key('escape'), key('ctrl-u'), letter('x')]);
    expect(of('\u001b[')).toEqual([key('escape'), letter('[')]);
  });

  test('a paste whose end is missing is waited for', () => {
    const { events, rest } = decodeInput('', Buffer.from('\u001b[200~half'));
    expect(events).toEqual([]);
    expect(flushInput(rest)).toEqual({ events: [], rest });
    const more = decodeInput(rest, Buffer.from(' more\u001b[201~\r'));
    expect(more).toEqual({ events: [{ kind: 'paste', text: 'half more' }, key('enter')], rest: '' });
  });

  test('bytes that are no UTF-8 are U+FFFD each', () => {
    expect(eventsOf([Buffer.from([0xff, 0xc3, 0x41])])).toEqual([
      letter('\ufffd'),
      letter('\ufffd'),
      letter('A'),
    ]);
  });
});
