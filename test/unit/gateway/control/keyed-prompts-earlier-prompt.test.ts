import fc from 'fast-check';
import { expect, test } from 'vitest';
import { earlierPrompt } from '../../../../src/gateway/control/keyed-prompts.js';
import type { DeliveryState } from '../../../../src/turn/turn-table.js';

const states: readonly DeliveryState[] = ['claimed', 'handed_over', 'confirmed', 'unconfirmed', 'failed'];
const turn = fc.record({
  turn_id: fc.constant('turn-1'),
  delivery_state: fc.constantFrom(...states),
  state: fc.constantFrom('running' as const, 'ended' as const),
  outcome: fc.constantFrom(null, 'interrupted' as const, 'failed' as const),
  error_detail: fc.option(fc.string()),
});

test.each([
  ['confirmed', 'running', false, 'dispatched'],
  ['confirmed', 'ended', true, 'dispatched'],
  ['handed_over', 'running', false, 'dispatched'],
  ['handed_over', 'running', true, 'under_way'],
  ['handed_over', 'ended', true, 'dispatched'],
  ['claimed', 'running', false, 'under_way'],
  ['claimed', 'running', true, 'under_way'],
  ['claimed', 'ended', false, 'failed'],
  ['unconfirmed', 'running', true, 'failed'],
  ['unconfirmed', 'ended', false, 'failed'],
  ['failed', 'ended', true, 'failed'],
] as const)('%s and %s, typed %s: %s', (delivery_state, state, typed, kind) => {
  expect(
    earlierPrompt({ turn_id: 'turn-1', delivery_state, state, outcome: null, error_detail: null }, typed),
  ).toMatchObject({ kind });
});

test('only what the agent has is reported as dispatched, and what failed names its turn', () => {
  fc.assert(
    fc.property(turn, fc.boolean(), (row, typed) => {
      const reported = earlierPrompt(row, typed);
      if (reported.kind === 'dispatched') expect(['handed_over', 'confirmed']).toContain(row.delivery_state);
      if (reported.kind === 'under_way') expect(row.state).toBe('running');
      if (reported.kind === 'failed')
        expect(reported.detail).toBe(
          `${row.error_detail ?? 'Whether the agent has the prompt is not known.'} See turn turn-1.`,
        );
    }),
  );
});

test('a turn that was completed had its prompt, whatever its delivery state says', () => {
  fc.assert(
    fc.property(turn, fc.boolean(), (row, typed) => {
      expect(earlierPrompt({ ...row, outcome: 'completed' }, typed)).toEqual({ kind: 'dispatched' });
    }),
  );
});
