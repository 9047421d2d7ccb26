import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isPromptMetadata,
  labelsIn,
  metadataOf,
  metadataText,
  withMetadata,
} from '../../../src/contract/prompt-metadata.js';
import { bodyDigest } from '../../../src/storage/idempotency-keys.js';

const read = (text: string) => metadataOf({ 'X-Houmao-Metadata': text });
const value = fc.string({ unit: 'binary', maxLength: 512 });
const maps = fc.dictionary(fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/), value, { minKeys: 1, maxKeys: 16 });

describe('metadata of a prompt', () => {
  test('of any characters is written in ASCII, is what the format takes, and is read back the same', () => {
    fc.assert(
      fc.property(maps, (metadata) => {
        const text = metadataText(metadata) ?? '';
        expect(text).toMatch(/^[ -~]+$/);
        expect([text, isPromptMetadata(text)]).toEqual([text, true]);
        expect(read(text)).toEqual({ ...metadata });
      }),
    );
  });

  test.each([
    ['nothing', ''],
    ['a list', '["a"]'],
    ['half an object', '{"a":"b"'],
    ['a number', '{"a":1}'],
    ['an object below', '{"a":{"b":"c"}}'],
    ['an empty key', '{"":"b"}'],
    ['a blank in a key', '{"a b":"c"}'],
    ['a key of 65 characters', `{"${'k'.repeat(65)}":"v"}`],
    ['a value of 513 characters', `{"a":"${'v'.repeat(513)}"}`],
    ['17 entries', JSON.stringify(Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, ''])))],
    ['a key twice', '{"a":"b","a":"b"}'],
    ['another alphabet', '{"a":"é"}'],
    ['half a character', '{"a":"\\ud800"}'],
    ['a blank of Latin', '{\u00a0"a":"b"}'],
  ])('is not %s', (_title, text) => {
    expect(isPromptMetadata(text)).toBe(false);
  });

  test.each([
    ['{}', null],
    [' { "a" : "x" ,\t"b":"" } ', { a: 'x', b: '' }],
    ['{"a":"\\"b\\":\\u00e9, {\\ud83d\\ude42}"}', { a: '"b":é, {🙂}' }],
    ['{"__proto__":"p"}', JSON.parse('{"__proto__":"p"}')],
    [`{"a":"${'\\ud83d\\ude42'.repeat(512)}"}`, { a: '🙂'.repeat(512) }],
  ])('%s is read', (text, metadata) => {
    expect(isPromptMetadata(text)).toBe(true);
    expect(read(text)).toEqual(metadata);
  });

  test('changes what a key stands for, whatever its order, and none is as before', () => {
    const digest = (metadata: Record<string, string> | null) => bodyDigest(withMetadata({ p: 1 }, metadata));
    expect(digest(null)).toBe(bodyDigest({ p: 1 }));
    expect(digest({ a: '1', b: '2' })).toBe(digest({ b: '2', a: '1' }));
    expect(new Set([digest(null), digest({ a: '1' }), digest({ a: '2' })]).size).toBe(3);
  });

  test('in a filter ends its key at the first =', () => {
    expect(labelsIn(['a=b', 'c==d=', 'e='])).toEqual([
      ['a', 'b'],
      ['c', '=d='],
      ['e', ''],
    ]);
    expect(labelsIn()).toEqual([]);
  });
});
