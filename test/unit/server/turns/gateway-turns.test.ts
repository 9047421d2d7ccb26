import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ManagedAgent } from '../../../../src/server/directory/managed-agents.js';
import { GatewayCalls, gatewayConnections } from '../../../../src/server/forwarding/gateway-calls.js';
import {
  GatewayTurns,
  type HeadlessFacts,
  headlessObstacle,
  refused,
} from '../../../../src/server/turns/gateway-turns.js';
import { whicheverRuns } from '../../../../src/server/turns/submissions.js';
import { peer } from '../../../support/peer.js';

test.each([
  [409, {}, 'busy'],
  [412, {}, 'other_turn'],
  [422, {}, 'invalid'],
  [422, { 'x-houmao-error-code': 'request_refused' }, 'invalid'],
  [422, { 'x-houmao-error-code': 'key_reused' }, 'key_reused'],
  [503, {}, 'unavailable'],
])('a refusal of the gateway with %i and %j is %s, in its own words', (status, headers, code) => {
  expect(refused({ status, headers, detail: 'Of another version.' })).toMatchObject({
    refused: code,
    detail: 'Of another version.',
  });
});

describe('a prompt for a headless agent', () => {
  const anyFacts: fc.Arbitrary<HeadlessFacts> = fc.record({
    request_admission: fc.constantFrom('open', 'blocked_unavailable', 'blocked_reconciliation'),
    active_execution: fc.constantFrom('idle', 'running'),
    active_turn_id: fc.option(fc.constant('turn-1')),
    runtime_resumable: fc.boolean(),
    tmux_session_live: fc.boolean(),
    chat_session: fc.record({ current: fc.option(fc.constant({ id: 'conversation' })) }),
  });
  const idle: HeadlessFacts = {
    request_admission: 'open',
    active_execution: 'idle',
    active_turn_id: null,
    runtime_resumable: true,
    tmux_session_live: true,
    chat_session: { current: null },
  };
  const obstacle = (state: HeadlessFacts, wantsCurrent = false) =>
    headlessObstacle('alpha', state, wantsCurrent);

  test('finds a gateway busy that runs a turn, or was given one; nothing else of a live agent is', () => {
    fc.assert(
      fc.property(anyFacts, (state) => {
        const busy =
          state.request_admission === 'blocked_reconciliation' ||
          state.active_execution === 'running' ||
          state.active_turn_id !== null;
        const out =
          !state.runtime_resumable ||
          !state.tmux_session_live ||
          state.request_admission === 'blocked_unavailable';
        const expected = busy ? 'busy' : out ? 'unavailable' : undefined;
        expect(obstacle(state)?.refused).toBe(expected);
      }),
    );
  });

  test.each([
    [
      'the agent was replaced',
      { ...idle, request_admission: 'blocked_reconciliation', active_execution: 'running' },
      /reconcile/,
    ],
    ['a turn runs', { ...idle, active_execution: 'running', active_turn_id: 'turn-7' }, /turn-7/],
  ] as const)('is refused with the reason where %s', (_what, state, words) => {
    expect(obstacle(state)).toMatchObject({ detail: expect.stringMatching(words) });
  });

  test('for the pinned conversation needs one before anything is queued', () => {
    expect(obstacle(idle, true)?.refused).toBe('busy');
    expect(obstacle({ ...idle, chat_session: { current: { id: 'conversation' } } }, true)).toBeNull();
    expect(obstacle(idle)).toBeNull();
  });
});

describe('an older gateway, which knows no wait for a beginning and names no turn', () => {
  const headless = { transport: 'headless', agentName: 'alpha' } as ManagedAgent;
  const accepted = { request_id: 'gwreq-1', request_kind: 'interrupt', state: 'accepted' };
  const idle = {
    request_admission: 'open',
    active_execution: 'idle',
    active_turn_id: null,
    runtime_resumable: true,
    tmux_session_live: true,
    chat_session: { current: null },
  };

  /** @param state what it reports of its agent. */
  async function olderGateway(state: object) {
    const asked: string[] = [];
    const { port } = await peer((request, response) => {
      const { method, url = '' } = request;
      asked.push(`${method} ${url}`);
      const answer = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body));
      if (url === '/v1/control/headless/state') return answer(200, state);
      if (url.includes('wait_until')) return answer(422, { detail: [] });
      if (method === 'POST') return answer(202, accepted);
      return answer(200, { ...accepted, waiting_reason: null, turn: null, result: null });
    });
    const connections = gatewayConnections(false);
    onTestFinished(() => connections.close());
    const calls = new GatewayCalls(connections);
    const turns = new GatewayTurns({
      forward: async (_agent, operation, question) => ({
        kind: 'answered',
        answer: await calls.ask(port, operation, question),
      }),
    });
    return { turns, asked };
  }

  test('takes a prompt, of which no number is known', async () => {
    const { turns, asked } = await olderGateway(idle);
    const prompt = {
      way: 'turns',
      prompt: 'p',
      key: null,
      chatSession: null,
      execution: null,
      metadata: null,
    } as const;
    expect(await turns.prompt(headless, prompt, { turnId: 'turn-1', requestId: 'mreq-1' })).toEqual({
      queuedAs: 'gwreq-1',
      replayed: false,
      turnIndex: null,
    });
    expect(asked.filter((one) => one.includes('wait_until=started'))).toHaveLength(1);
  });

  test('has the turn stopped that it reported before', async () => {
    const { turns } = await olderGateway({ ...idle, active_execution: 'running', active_turn_id: 'turn-7' });
    expect(await turns.interrupt(headless, whicheverRuns)).toMatchObject({ met: 'work', turnId: 'turn-7' });
  });

  test('stops nothing where nothing runs, and is not asked to', async () => {
    const { turns, asked } = await olderGateway(idle);
    expect(await turns.interrupt(headless, whicheverRuns)).toEqual({ met: 'nothing' });
    expect(asked).toEqual(['GET /v1/control/headless/state']);
  });

  test('refuses a model for a terminal before it is asked', async () => {
    const { turns, asked } = await olderGateway(idle);
    const execution = { model: { name: 'm' } };
    const prompt = {
      way: 'requests',
      prompt: 'p',
      key: null,
      chatSession: null,
      execution,
      metadata: null,
    } as const;
    const terminal = { ...headless, transport: 'tui' } as const;
    expect(await turns.prompt(terminal, prompt, { turnId: 'turn-1', requestId: 'mreq-1' })).toMatchObject({
      refused: 'invalid',
    });
    expect(asked).toEqual([]);
  });
});
