import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CommandFailure, type ExitCode, exitCodes } from '../../../../src/cli/words/command-failure.js';
import { failureLine } from '../../../../src/cli/words/failure-words.js';

const same = (text: string): string => text;

test('for programs it is one line of JSON with every key, whatever its texts hold', () => {
  const text = fc.string({ unit: 'binary' });
  const codes = fc.constantFrom<ExitCode>(...Object.values(exitCodes));
  fc.assert(
    fc.property(text, fc.option(text), codes, (detail, hint, code) => {
      const line = failureLine(new CommandFailure(detail, code, { hint }), true, same);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      const told = JSON.parse(line);
      expect(told).toMatchObject({ detail, request_id: null, turn_id: null, idempotency_key: null });
      expect(told.error_code).toMatch(/^[a-z_]+$/);
      expect(told.hint === null).toBe(hint === null);
    }),
  );
});

test('for people the hint follows, in its own lines where it has several', () => {
  const told = (hint: string) => failureLine(new CommandFailure('Why.', 1, { hint }), false, same);
  expect(told('Do this.')).toBe('houmao-mgr: Why. Do this.\n');
  expect(told('  one  a\n  two  b')).toBe('houmao-mgr: Why.\n  one  a\n  two  b\n');
});
