import fc from 'fast-check';
import { expect, test } from 'vitest';
import { errorCodes, storedError } from '../../../src/run/record-error.js';
import { bundle } from '../../contract/support/bundle.js';

const { RecordErrorCode } = bundle.components.schemas;

test('the contract has the same codes, and says what each means', () => {
  expect(RecordErrorCode.enum).toEqual([...errorCodes]);
  for (const code of errorCodes) expect(RecordErrorCode.description).toContain(`| \`${code}\` |`);
});

test('what a row says is read as it is, and never as a code that is not in the contract', () => {
  const text = fc.option(fc.string());
  fc.assert(
    fc.property(fc.oneof(text, fc.constantFrom(...errorCodes)), text, (code, detail) => {
      const error = storedError(code, detail);
      if (code === null && detail === null) {
        expect(error).toBeNull();
        return;
      }
      expect(errorCodes).toContain(error?.code);
      expect(error?.detail).toContain(detail ?? '');
      if (errorCodes.some((known) => known === code)) expect(error).toEqual({ code, detail: detail ?? '' });
      else if (code !== null) expect(error?.detail).toContain(code);
    }),
  );
});
