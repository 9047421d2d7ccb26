import type { Schemas } from '@houmao/sdk';
import { expect, test } from 'vitest';
import {
  interruptWords,
  reconciledWords,
  requestLines,
  requestTable,
  usageWords,
  waitingLines,
} from '../../../../src/cli/words/request-words.js';

const asItIs = (iso: string): string => iso;

const waiting: Schemas['RequestRecord'] = {
  schema_version: 1,
  request_id: 'gwreq-1',
  request_kind: 'submit_prompt',
  state: 'accepted',
  accepted_at_utc: '2026-03-13T00:00:00+00:00',
  started_at_utc: null,
  finished_at_utc: null,
  managed_agent_instance_epoch: 1,
  queue_position: 0,
  waiting_reason: { code: 'paused', detail: 'The queue is paused.' },
  error: null,
  superseded_by: null,
  result: null,
  turn: null,
  prompt_preview: 'Review\nthe open pull requests.',
};
const interrupt: Schemas['RequestRecord'] = {
  ...waiting,
  request_id: 'gwreq-2',
  request_kind: 'interrupt',
  state: 'completed',
  waiting_reason: null,
  result: { outcome: 'stopped', turn_id: 'turn-1', signal: 'SIGINT' },
  prompt_preview: null,
};

test('what waits before it is decided about is counted and listed, and nothing is said of none', () => {
  const listed = (requests: (typeof waiting)[], next_cursor: string | null = null) =>
    waitingLines({ schema_version: 1, requests, next_cursor });
  expect(listed([])).toEqual([]);
  expect(listed([waiting])).toEqual(['1 request waits:', '  gwreq-1  Review the open pull requests.']);
  expect(listed([waiting, waiting])[0]).toBe('2 requests wait:');
  expect(listed([waiting], 'more')[0]).toBe('1 or more requests wait:');
});

test('what was decided about requests of earlier instances is said, and where there were none, that too', () => {
  const settled = (adopted: number, discarded: number) =>
    reconciledWords({
      status: 'ok',
      action: 'reconcile',
      adopted,
      discarded,
      managed_agent_instance_epoch: 2,
    });
  expect(settled(3, 0)).toMatch(/^Adopted 3, discarded 0; new requests are accepted \(epoch 2\)\.$/);
  expect(settled(0, 0)).toMatch(/^No request of an earlier instance waits; new /);
});

test('a list has one line each, however long or broken the prompt', () => {
  const long = { ...waiting, prompt_preview: 'x'.repeat(80) };
  expect(requestTable([waiting, interrupt, long], asItIs)).toEqual([
    'REQUEST  STATE      TURN  ACCEPTED                   PROMPT',
    'gwreq-1  accepted         2026-03-13T00:00:00+00:00  Review the open pull requests.',
    'gwreq-2  completed        2026-03-13T00:00:00+00:00  (interrupt)',
    `gwreq-1  accepted         2026-03-13T00:00:00+00:00  ${'x'.repeat(60)}…`,
  ]);
});

const withTurn = (state: Schemas['RequestState'], turn: Partial<Schemas['TurnRecord']>) => ({
  ...waiting,
  state,
  waiting_reason: null,
  turn: turn as Schemas['TurnRecord'],
});

test.each<[Schemas['RequestState'], Partial<Schemas['TurnRecord']>, string]>([
  ['completed', { state: 'running', outcome: null }, 'running'],
  ['completed', { state: 'ended', outcome: 'failed' }, 'failed'],
  ['completed', { state: 'ended', outcome: 'interrupted' }, 'interrupted'],
  ['completed', { state: 'ended', outcome: 'completed' }, ''],
  ['running', { state: 'running', outcome: null }, ''],
  ['failed', { state: 'ended', outcome: 'replaced' }, 'replaced'],
])('a list says of a %s request how its turn is, where that is news: %j', (state, turn, news) => {
  const row = requestTable([withTurn(state, turn)], asItIs)[1];
  expect(row).toMatch(new RegExp(`^gwreq-1  ${state} +${news} +2026`));
});

test('a completed request whose turn failed says why', () => {
  const error = { code: 'api_error', detail: 'API error 500.' } as const;
  const delivery = { state: 'confirmed', at_utc: waiting.accepted_at_utc, evidence: 'user row' } as const;
  const turn = { turn_id: 'turn-1', state: 'ended', outcome: 'failed', delivery, error } as const;
  expect(requestLines(withTurn('completed', turn), 'alpha', '', asItIs)).toContain(
    '  error     API error 500. (api_error)',
  );
});

test('one request says what is known of it and leaves out the rest', () => {
  expect(requestLines(waiting, 'alpha', '', asItIs)).toEqual([
    'gwreq-1  accepted',
    '  accepted  2026-03-13T00:00:00+00:00',
    expect.stringMatching(/^ {2}waiting {3}The queue is paused; .+: houmao-mgr agents gateway resume alpha$/),
    '  prompt    Review the open pull requests.',
  ]);
  expect(requestLines(interrupt, 'alpha', '', asItIs).at(-1)).toBe(
    '  result    Turn turn-1 was interrupted (SIGINT).',
  );
});

test('a request with its turn says what that used, and the answer behind an empty line', () => {
  const delivery = { state: 'confirmed', at_utc: '2026-03-13T00:00:01+00:00', evidence: 'init row' } as const;
  const usage = { model: 'opus', scope: 'turn', amounts: { output_tokens: 3 } } as const;
  const turn = { turn_id: 'turn-1', state: 'ended', outcome: 'completed', delivery, usage } as const;
  const answered = { ...turn, answer: { text: 'Hello!', truncated: false } } as unknown;
  const lines = requestLines({ ...waiting, turn: answered as Schemas['TurnRecord'] }, 'alpha', '', asItIs);
  expect(lines).toContain('  turn      turn-1, delivery confirmed, completed');
  expect(lines).toContain('  used      3 output tokens, opus');
  expect(lines.slice(-2)).toEqual(['', 'Hello!']);
});

test('what a turn used is one line', () => {
  const amounts = { input_tokens: 12, output_tokens: 3, duration_ms: 9 };
  expect(usageWords({ model: 'opus', scope: 'turn', amounts })).toBe(
    '12 input tokens, 3 output tokens, opus',
  );
  expect(usageWords({ model: null, scope: 'conversation', amounts: { output_tokens: 3 } })).toBe(
    '3 output tokens in this conversation',
  );
  expect(usageWords({ model: 'opus', scope: 'turn', amounts: {} })).toBe('opus');
});

test('an interrupt says what it did', () => {
  const noOp = { outcome: 'no_op', turn_id: null, signal: null } as const;
  expect(interruptWords({ ...interrupt, result: noOp })).toBe('Nothing was running.');
  expect(interruptWords({ ...interrupt, state: 'running', result: null })).toBe('The interrupt is running.');
  const elsewhere = { outcome: 'stopped', turn_id: 'turn-1', signal: null } as const;
  expect(interruptWords({ ...interrupt, result: elsewhere })).toBe('Turn turn-1 was interrupted.');
  const error = { code: 'internal_fault', detail: 'The runner does not end.' } as const;
  expect(interruptWords({ ...interrupt, state: 'failed', result: null, error })).toBe(
    'The interrupt failed (internal_fault): The runner does not end.',
  );
});
