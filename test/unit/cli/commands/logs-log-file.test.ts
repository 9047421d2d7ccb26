import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastLines } from '../../../../src/cli/commands/logs.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const path = join(temporaryFolder(), 'log');
const of = (text: string, count: number) => {
  writeFileSync(path, text);
  return lastLines(path, count);
};

test('the last whole lines are those that a reader of all of it would give', () => {
  const line = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant('ü'.repeat(50_000)));
  const lines = fc.array(
    line.map((one) => one.replaceAll('\n', ' ')),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(lines, fc.nat(5), fc.boolean(), (all, count, isTorn) => {
      const whole = all.map((one) => `${one}\n`).join('');
      const { lines: last, end } = of(isTorn ? `${whole}half` : whole, count);
      expect(last).toEqual(count === 0 ? [] : all.slice(-count));
      expect(end).toBe(Buffer.byteLength(whole));
    }),
    { numRuns: 60 },
  );
});
