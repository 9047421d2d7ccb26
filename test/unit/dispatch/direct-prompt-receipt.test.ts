import fc from 'fast-check';
import { expect, test } from 'vitest';
import { receiptOf } from '../../../src/dispatch/direct-prompt.js';
import type { DeliveryState } from '../../../src/turn/turn-table.js';

const states: readonly DeliveryState[] = ['claimed', 'handed_over', 'confirmed', 'unconfirmed', 'failed'];
const turn = fc.record({
  turn_id: fc.constant('turn-1'),
  delivery_state: fc.constantFrom(...states),
  state: fc.constantFrom('running' as const, 'ended' as const),
  outcome: fc.constantFrom(null, 'interrupted' as const, 'failed' as const),
  error_detail: fc.option(fc.string()),
});

test.each([
  ['confirmed', 'running', false, 'taken'],
  ['confirmed', 'ended', true, 'taken'],
  ['handed_over', 'running', false, 'taken'],
  ['handed_over', 'running', true, 'under_way'],
  ['handed_over', 'ended', true, 'taken'],
  ['claimed', 'running', false, 'under_way'],
  ['claimed', 'running', true, 'under_way'],
  ['claimed', 'ended', false, 'unknown'],
  ['unconfirmed', 'running', true, 'unknown'],
  ['unconfirmed', 'ended', false, 'unknown'],
  ['failed', 'ended', true, 'not_taken'],
] as const)('%s and %s, typed %s: %s', (delivery_state, state, typed, kind) => {
  expect(
    receiptOf({ turn_id: 'turn-1', delivery_state, state, outcome: null, error_detail: null }, typed),
  ).toMatchObject({ kind });
});

test('only what the agent has counts as taken, and everything else that is final names its turn', () => {
  fc.assert(
    fc.property(turn, fc.boolean(), (row, typed) => {
      const receipt = receiptOf(row, typed);
      if (receipt.kind === 'taken') expect(['handed_over', 'confirmed']).toContain(row.delivery_state);
      if (receipt.kind === 'under_way') expect(row.state).toBe('running');
      if ('detail' in receipt)
        expect(receipt.detail).toBe(
          `${row.error_detail ?? 'Whether the agent has the prompt is not known.'} See turn turn-1.`,
        );
    }),
  );
});

test('a turn that was completed had its prompt, whatever its delivery state says', () => {
  fc.assert(
    fc.property(turn, fc.boolean(), (row, typed) => {
      expect(receiptOf({ ...row, outcome: 'completed' }, typed)).toEqual({ kind: 'taken' });
    }),
  );
});
