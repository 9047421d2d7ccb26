import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentDetail } from '../../../../src/server/inspection/agent-detail.js';
import {
  type AgentOverview,
  agentOverview,
  byUrgency,
  unseenAgent,
} from '../../../../src/server/inspection/agent-overview.js';

const agent = {
  trackedAgentId: 'tracked-1',
  agentName: 'HOUMAO-alpha',
  tool: 'claude',
  transport: 'headless',
  terminalId: null,
} as AgentDetail['summary']['agent'];
const gateway = {
  health: 'healthy',
  connectivity: 'connected',
  admission: 'open',
  execution: 'idle',
  eligibility: 'ready',
};
const recorded = { queue: { waiting: 0, paused: false }, running: null, lastTurn: null };
const running = {
  turn_id: 'turn-000000000001',
  request_id: null,
  origin: 'direct' as const,
  started_at_utc: '2026-01-01T00:00:00.000000+00:00',
  prompt_preview: null,
};

const terminal = (phase: string, editing: string, business = 'idle', availability = 'available') => ({
  transport: 'tui',
  terminal: {
    by: 'gateway',
    body: {
      diagnostics: { availability },
      turn: { phase },
      surface: { editing_input: editing },
      recent_transitions: [{ process_state: 'tui_down' }],
      parsed_surface: { business_state: business, operator_blocked_excerpt: 'Proceed?' },
    },
  },
});
const seenAs = (summary: object, detail: object = { transport: 'headless' }): AgentDetail =>
  ({
    summary: { agent, availability: 'available', phase: 'ready', diagnostics: [], gateway: null, ...summary },
    detail,
  }) as unknown as AgentDetail;
const inTerminal = { agent: { ...agent, transport: 'tui', terminalId: 't-1' } };
const state = (seen: AgentDetail, more: object = {}) =>
  agentOverview({ seen, recorded, queue: null, ...more }).state;

test.each<[string, AgentDetail, object?]>([
  ['ready', seenAs({})],
  ['ready', seenAs({ gateway })],
  ['working', seenAs({ phase: 'active' })],
  ['working', seenAs({}), { recorded: { ...recorded, running } }],
  ['working', seenAs({ gateway: { ...gateway, execution: 'running' } }), { recorded: null }],
  ['busy', seenAs({ gateway: { ...gateway, eligibility: 'not_ready' } })],
  ['unknown', seenAs({ gateway: { ...gateway, eligibility: 'unknown' } })],
  ['unknown', seenAs({ diagnostics: [{ kind: 'gateway_unreachable', message: 'It is silent.' }] })],
  ['unreachable', seenAs({ gateway: { ...gateway, connectivity: 'unavailable' } })],
  ['unreachable', seenAs({ availability: 'unavailable' })],
  ['replaced', seenAs({ gateway: { ...gateway, admission: 'blocked_reconciliation' } })],
  ['fault', seenAs({ gateway }), { queue: { fault: { detail: 'The disk is full.' } } }],
])('an agent is %s', (word, seen, more) => {
  expect(state(seen, more)).toBe(word);
});

test.each<[string, string, string, string?]>([
  ['ready', 'ready', 'no'],
  // At work without a turn of ours: somebody typed the prompt.
  ['busy', 'active', 'no'],
  ['busy', 'ready', 'yes'],
  ['unknown', 'unknown', 'no'],
  ['needs_person', 'unknown', 'no', 'awaiting_operator'],
])('an agent in a terminal without a gateway is %s: %s, draft %s', (word, phase, editing, business) => {
  expect(state(seenAs({ ...inTerminal, phase }, terminal(phase, editing, business)))).toBe(word);
});

test.each([
  ['tool_ended', '/abs/path/session'],
  ['unreachable', null],
])('an agent without a tool in its terminal is %s where its session is %s', (word, sessionRoot) => {
  const summary = {
    agent: { ...inTerminal.agent, sessionRoot },
    availability: 'unavailable',
    phase: 'unknown',
  };
  expect(state(seenAs(summary, terminal('unknown', 'no', 'unknown', 'tui_down')))).toBe(word);
});

test('each state that needs a reason has one', () => {
  const detail = (seen: AgentDetail, queue: object | null = null) =>
    agentOverview({ seen, recorded, queue: queue as never }).detail;
  expect(detail(seenAs({ gateway }), { fault: { detail: 'The disk is full.' } })).toBe('The disk is full.');
  expect(detail(seenAs({ availability: 'unavailable' }))).toMatch(/\.$/);
  expect(detail(seenAs({ gateway: { ...gateway, admission: 'blocked_reconciliation' } }))).toMatch(/\.$/);
  expect(detail(seenAs({ diagnostics: [{ kind: 'any', message: 'That is why.' }] }))).toBe('That is why.');
  expect(detail(seenAs({}))).toBeNull();
});

const states = [
  ...(['needs_person', 'fault', 'replaced', 'unreachable', 'tool_ended'] as const),
  ...(['working', 'busy', 'ready', 'unknown'] as const),
];
const anyAgents: fc.Arbitrary<AgentOverview[]> = fc.uniqueArray(
  fc
    .record({
      tracked_agent_id: fc.string({ minLength: 1 }),
      agent_name: fc.option(fc.constantFrom('HOUMAO-a', 'HOUMAO-b', 'HOUMAO-c')),
      state: fc.constantFrom(...states),
    })
    .map((one) => ({ ...unseenAgent(agent, ''), ...one })),
  { selector: ({ tracked_agent_id }) => tracked_agent_id },
);

test('agents are sorted: those that need a person, those with a difficulty, the others; by name within', () => {
  const place = ({ state: word }: AgentOverview): number =>
    word === 'needs_person' ? 0 : ['working', 'busy', 'ready'].includes(word) ? 2 : 1;
  fc.assert(
    fc.property(anyAgents, (agents) => {
      const sorted = byUrgency(agents);
      expect(new Set(sorted)).toEqual(new Set(agents));
      for (const [at, one] of sorted.entries()) {
        const next = sorted[at + 1];
        if (next === undefined) break;
        expect(place(one)).toBeLessThanOrEqual(place(next));
        if (place(one) === place(next)) expect((one.agent_name ?? '') <= (next.agent_name ?? '')).toBe(true);
      }
    }),
  );
});

test('the order does not depend on the one before', () => {
  fc.assert(
    fc.property(anyAgents, (agents) => {
      expect(byUrgency([...agents].reverse())).toEqual(byUrgency(agents));
    }),
  );
});
