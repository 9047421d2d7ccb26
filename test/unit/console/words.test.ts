import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ageOf,
  filtered,
  type ListedAgent,
  latestOf,
  stateWord,
  usageOf,
  withoutRules,
} from '../../../console/src/words.js';

const agent = (given: Partial<ListedAgent>): ListedAgent => ({
  tracked_agent_id: 'claude_headless-1',
  agent_name: 'HOUMAO-alpha',
  tool: 'claude',
  transport: 'headless',
  terminal_id: null,
  state: 'ready',
  detail: null,
  question: null,
  has_gateway: true,
  queue: { waiting: 0, paused: false },
  running: null,
  last_turn: null,
  ...given,
});
const running = {
  turn_id: 'turn-1',
  request_id: 'gwreq-1',
  origin: 'queue' as const,
  started_at_utc: '2026-03-13T00:00:00Z',
  prompt_preview: 'Review it',
};

test('the line of an agent says what a person has to know first', () => {
  const last = {
    turn_id: 't',
    outcome: 'completed',
    ended_at_utc: null,
    answer_preview: 'Done',
    error: null,
    usage: null,
  } as const;
  const failed = { ...last, outcome: 'failed', error: { code: 'api_error', detail: 'No credit.' } } as const;
  expect(latestOf(agent({ state: 'needs_person', question: ' Proceed? ', running }))).toBe('Proceed?');
  expect(latestOf(agent({ state: 'unreachable', detail: 'Its pane is gone.', running }))).toBe(
    'Its pane is gone.',
  );
  expect(latestOf(agent({ state: 'working', running, last_turn: last }))).toBe('Review it');
  expect(latestOf(agent({ last_turn: last }))).toBe('Done');
  expect(latestOf(agent({ last_turn: failed }))).toBe('No credit.');
});

test('a state that a later server has is shown in its own words', () => {
  expect(stateWord('needs_person')).toBe('needs you');
  expect(stateWord('half_asleep')).toBe('half asleep');
});

test('an age is the largest unit that fits, and never negative', () => {
  const now = Date.parse('2026-03-13T12:00:00Z');
  const ages = [0, 59, 60, 3599, 3600, 86_399, 86_400].map((seconds) =>
    ageOf(new Date(now - seconds * 1000).toISOString(), now),
  );
  expect(ages).toEqual(['0s', '59s', '1m', '59m', '1h', '23h', '1d']);
  expect(ageOf(null, now)).toBe('');
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e9 }), (seconds) => {
      expect(ageOf(new Date(now - seconds * 1000).toISOString(), now)).toMatch(/^\d+[smhd]$/);
    }),
  );
});

test('usage says only what the tool reported, and of what', () => {
  const usage = (amounts: Record<string, number>, scope: 'turn' | 'conversation' = 'turn') =>
    usageOf({ model: null, scope, amounts });
  expect(usageOf(null)).toBe('');
  expect(usage({})).toBe('');
  expect(usage({ input_tokens: 345, output_tokens: 20, total_cost_usd: 0.123 })).toBe(
    '345 tokens in, 20 out, $0.12',
  );
  expect(usage({ input_tokens: 12_345 })).toBe('12.3k tokens in, ? out');
  expect(usage({ total_tokens: 2_500_000 }, 'conversation')).toBe('2.5M tokens (conversation)');
});

test('a filter keeps the agents that have all its words, in their order', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,6}$/), { maxLength: 8 });
  fc.assert(
    fc.property(names, fc.constantFrom('a', 'cl', 'READY', 'claude ready', ''), (all, filter) => {
      const agents = all.map((name) => agent({ tracked_agent_id: name, agent_name: name }));
      const kept = filtered(agents, filter);
      expect(kept).toEqual(agents.filter((one) => kept.includes(one)));
      if (filter !== 'a') expect(kept).toHaveLength(agents.length);
      else expect(kept.every(({ agent_name }) => agent_name !== null)).toBe(true);
    }),
  );
  expect(filtered([agent({}), agent({ tool: 'codex' })], 'codex alpha')).toHaveLength(1);
});

test('rules across a terminal become short, and other text stays', () => {
  expect(withoutRules(`a\n${'─'.repeat(200)}\nb --------------------`)).toBe(
    `a\n${'─'.repeat(12)}\nb --------------------`,
  );
});
