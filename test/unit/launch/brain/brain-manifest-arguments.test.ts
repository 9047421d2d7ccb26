import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UnusableFile } from '../../../../src/foundation/faults.js';
import { argumentsOf } from '../../../../src/launch/brain/brain-manifest.js';

const fault = (reason: string) => new UnusableFile('/brain.yaml', reason);
const values = fc.array(fc.string());
const appended = values.map((list) => ({ args: { mode: 'append' as const, values: list } }));
const replaced = values.map((list) => ({ args: { mode: 'replace' as const, values: list } }));

test('what is appended follows what stands before it', () => {
  fc.assert(
    fc.property(values, appended, appended, (args, preset, direct) => {
      const contract = { adapter_defaults: { args }, requested_overrides: { preset, direct } };
      expect(argumentsOf(contract, fault)).toEqual([...args, ...preset.args.values, ...direct.args.values]);
    }),
  );
});

test('what replaces leaves nothing of what stands before it', () => {
  fc.assert(
    fc.property(values, fc.oneof(appended, replaced), replaced, (args, preset, direct) => {
      const contract = { adapter_defaults: { args }, requested_overrides: { preset, direct } };
      expect(argumentsOf(contract, fault)).toEqual(direct.args.values);
    }),
  );
});

test('an empty contract gives none', () => {
  expect(argumentsOf({}, fault)).toEqual([]);
  expect(argumentsOf({ adapter_defaults: null, requested_overrides: null }, fault)).toEqual([]);
});
