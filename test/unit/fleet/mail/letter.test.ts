import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDue, type Letter, letterText, readLetter } from '../../../../src/fleet/mail/letter.js';

const text = fc.string({ unit: 'grapheme' });
const letters: fc.Arbitrary<Letter> = fc.oneof(
  fc.record({
    kind: fc.constant('mail' as const),
    message_id: text,
    document: fc.option(text),
    document_object: fc.option(text),
    files: fc.array(text),
  }),
  fc.record({
    kind: fc.constant('receipt' as const),
    message_id: text,
    outcome: fc.constantFrom('taken' as const, 'lost' as const),
    refused: fc.array(fc.record({ address: text, detail: text })),
  }),
);
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

describe('a letter', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(letters, (letter) => {
        expect(readLetter(bytes(letterText(letter)))).toEqual(letter);
      }),
    );
  });

  test.each([
    ['of a later release, whatever it is', '{"version":2,"kind":"parcel"}', 'newer'],
    ['of a kind that this release does not know', '{"version":1,"kind":"parcel"}', null],
    ['without its fields', '{"version":1,"kind":"mail"}', null],
    ['without a version', '{}', null],
    ['that is no JSON', 'hello', null],
  ])('%s', (_, content, read) => {
    expect(readLetter(bytes(content))).toBe(read);
  });

  test('is never read as one where it is none', () => {
    fc.assert(fc.property(fc.uint8Array(), (content) => readLetter(content) === null));
  });
});

describe('a message that waits', () => {
  const day = 24 * 60 * 60 * 1000;
  const now = 10 * day;
  const at = (time: number, streamMadeAt = 'then') => ({ at: time, streamMadeAt });
  test.each([
    ['was never published', null, true],
    ['was published just now', at(now - 1000), false],
    ['was published two days ago', at(now - 2 * day), false],
    ['was published four days ago, and NATS may drop it', at(now - 4 * day), true],
    ['was published into a stream that was lost since then', at(now - 1000, 'before'), true],
    ['was published in the future of a clock that jumped', at(now + 1000), true],
  ])('%s', (_, last, due) => {
    expect(isDue(last, at(now))).toBe(due);
  });
});
