import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Remedy } from '../../../../src/cli/words/command-failure.js';
import {
  CommandFailure,
  type ExitCode,
  exitCodes,
  type FailureFields,
  failureLine,
} from '../../../../src/cli/words/command-failure.js';

const same = (text: string): string => text;

test('for programs it is one line of JSON with every key, whatever its texts hold', () => {
  const text = fc.string({ unit: 'binary' });
  const codes = fc.constantFrom<ExitCode>(...Object.values(exitCodes));
  fc.assert(
    fc.property(text, fc.option(text), codes, (detail, hint, code) => {
      const line = failureLine(new CommandFailure(detail, code, { hint }), true, same);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      const reported = JSON.parse(line);
      expect(reported).toMatchObject({ detail, request_id: null, turn_id: null, idempotency_key: null });
      expect(reported.error_code).toMatch(/^[a-z_]+$/);
      expect(reported).toMatchObject({ hint, remedies: [] });
    }),
  );
});

const one: Remedy = ['look', 'houmao-mgr agents list'];
const two: Remedy = ['or start it', 'houmao-mgr server start'];

test('for people a hint follows, or the commands: one goes on in the line, several have a line each', () => {
  const reported = (fields: FailureFields) => failureLine(new CommandFailure('Why.', 1, fields), false, same);
  expect(reported({})).toBe('houmao-mgr: Why.\n');
  expect(reported({ hint: 'Do this.', remedies: [one, two] })).toBe('houmao-mgr: Why. Do this.\n');
  expect(reported({ remedies: [one] })).toBe('houmao-mgr: Why. Look: houmao-mgr agents list\n');
  expect(reported({ remedies: [one, two] })).toBe(
    'houmao-mgr: Why.\n  look         houmao-mgr agents list\n  or start it  houmao-mgr server start\n',
  );
});

test('for programs each command stands alone, as it is pasted, and the hint is one sentence of them', () => {
  const named = (text: string): string => text.replaceAll('houmao-mgr', 'npx houmao-mgr');
  const reported = (fields: FailureFields) =>
    JSON.parse(failureLine(new CommandFailure('Why.', 1, fields), true, named));
  expect(reported({ remedies: [one, two] })).toMatchObject({
    hint: 'Look: npx houmao-mgr agents list; or start it: npx houmao-mgr server start',
    remedies: [
      { label: 'look', command: 'npx houmao-mgr agents list' },
      { label: 'or start it', command: 'npx houmao-mgr server start' },
    ],
  });
  expect(reported({ hint: 'Do this.', remedies: [one] })).toMatchObject({
    hint: 'Do this.',
    remedies: [{ label: 'look', command: 'npx houmao-mgr agents list' }],
  });
});
