import { basename, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPlainName } from '../../../../src/server/directory/agent-records.js';

test.each(['', '.', '..', 'a/b', '../a', 'a\\b', 'a\0', ' a', 'a '])('%j leads elsewhere', (name) => {
  expect(isPlainName(name)).toBe(false);
});

test('a plain name is one folder below another', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '.', '/', '\\', ' ', '\0', 'ä') }), (name) => {
      if (isPlainName(name)) expect(join('/below', name)).toBe(`/below/${basename(name)}`);
    }),
  );
});
