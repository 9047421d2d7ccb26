import type { Schemas as GatewaySchemas } from '@houmao/sdk';
import { expect, test } from 'vitest';
import {
  isChosenState,
  queueCell,
  standingByGateway,
  standingWord,
  stateChoices,
} from '../../../../src/cli/words/agent-standing.js';

const status = {
  managed_agent_connectivity: 'connected',
  request_admission: 'open',
  terminal_surface_eligibility: 'ready',
  active_execution: 'idle',
  queue_depth: 2,
};
const queue = { paused: false, fault: null };

test.each<[object, object, string]>([
  [{}, {}, 'ready'],
  [{ active_execution: 'running' }, {}, 'working'],
  [{ active_execution: 'running', terminal_surface_eligibility: 'not_ready' }, {}, 'working'],
  [{ terminal_surface_eligibility: 'not_ready' }, {}, 'busy'],
  [{ terminal_surface_eligibility: 'unknown' }, {}, 'unknown'],
  [{ managed_agent_connectivity: 'unavailable', active_execution: 'running' }, {}, 'unreachable'],
  [
    { request_admission: 'blocked_reconciliation', managed_agent_connectivity: 'unavailable' },
    {},
    'replaced',
  ],
  [{ request_admission: 'blocked_reconciliation' }, { fault: { code: 'full' } }, 'fault'],
])('a gateway that says %j and of its queue %j has an agent that is %s', (axes, more, state) => {
  const reported = standingByGateway(
    { ...status, ...axes } as GatewaySchemas['GatewayStatus'],
    { ...queue, ...more } as GatewaySchemas['QueueState'],
    0,
    null,
  );
  expect(reported).toEqual({ state, queueDepth: 2, queueWaiting: 2, queuePaused: false });
});

test('a gateway without an operation for its queue says how its agent is all the same', () => {
  const reported = standingByGateway(status as GatewaySchemas['GatewayStatus'], null, null, null);
  expect(reported).toEqual({ state: 'ready', queueDepth: 2, queueWaiting: null, queuePaused: null });
});

test.each([
  ['available', 'awaiting_operator', 'needs you'],
  ['tui_down', 'unknown', 'tool ended'],
])(
  'an agent whose terminal is %s and %s is shown so, whether or not a turn runs',
  (availability, business_state, expected) => {
    const terminal = {
      parsed_surface: { business_state },
      diagnostics: { availability },
      tracked_session: { session_root: '/abs/path/session' },
    } as GatewaySchemas['TerminalState'];
    const reported = (axes: object) =>
      standingByGateway(
        { ...status, ...axes } as GatewaySchemas['GatewayStatus'],
        queue as GatewaySchemas['QueueState'],
        0,
        terminal,
      ).state;
    expect([reported({}), reported({ active_execution: 'running' })]).toEqual([expected, expected]);
  },
);

test('the words of the contract are shown in words for people', () => {
  expect(standingWord('needs_person')).toBe('needs you');
  expect(standingWord('tool_ended')).toBe('tool ended');
  expect(standingWord('working')).toBe('working');
});

test('a queue is described by what waits, and whether it does for long', () => {
  const cell = (queueWaiting: number | null, queuePaused: boolean | null) =>
    queueCell({ state: 'ready', queueDepth: 9, queueWaiting, queuePaused });
  expect([cell(null, null), cell(0, false), cell(3, true)]).toEqual(['-', '0', '3, paused']);
});

test('a prompt that runs does not wait, whether its request runs (headless) or is completed (a terminal has it)', () => {
  const waiting = (queue_depth: number, running: number | null) =>
    standingByGateway(
      { ...status, queue_depth } as GatewaySchemas['GatewayStatus'],
      queue as GatewaySchemas['QueueState'],
      running,
      null,
    ).queueWaiting;
  expect([waiting(3, 1), waiting(2, 0), waiting(0, 1), waiting(2, null)]).toEqual([2, 2, 0, null]);
});

test('each state is chosen by its own word without a blank, and by none where no state is chosen', () => {
  expect(stateChoices.filter((choice) => /\s/.test(choice))).toEqual([]);
  expect(stateChoices.filter((choice) => isChosenState('needs you', [choice]))).toEqual(['needs-you']);
  expect(isChosenState('needs you', ['ready', 'needs-you'])).toBe(true);
  expect(isChosenState('needs you', undefined)).toBe(true);
});
