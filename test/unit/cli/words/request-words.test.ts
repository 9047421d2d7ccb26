import type { Schemas } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { interruptWords, requestLines, requestTable } from '../../../../src/cli/words/request-words.js';

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

test('a list has one line each, however long or broken the prompt', () => {
  const long = { ...waiting, prompt_preview: 'x'.repeat(80) };
  expect(requestTable([waiting, interrupt, long])).toEqual([
    'REQUEST  STATE      ACCEPTED                   PROMPT',
    'gwreq-1  accepted   2026-03-13T00:00:00+00:00  Review the open pull requests.',
    'gwreq-2  completed  2026-03-13T00:00:00+00:00  (interrupt)',
    `gwreq-1  accepted   2026-03-13T00:00:00+00:00  ${'x'.repeat(60)}…`,
  ]);
});

test('one request says what is known of it and leaves out the rest', () => {
  expect(requestLines(waiting)).toEqual([
    'gwreq-1  accepted',
    '  accepted  2026-03-13T00:00:00+00:00',
    '  waiting   The queue is paused.',
    '  prompt    Review the open pull requests.',
  ]);
  expect(requestLines(interrupt).at(-1)).toBe('  result    Stopped turn turn-1 (SIGINT).');
});

test('an interrupt says what it did', () => {
  const noOp = { outcome: 'no_op', turn_id: null, signal: null } as const;
  expect(interruptWords({ ...interrupt, result: noOp })).toBe('Nothing was running.');
  expect(interruptWords({ ...interrupt, state: 'running', result: null })).toBe('The interrupt is running.');
  const elsewhere = { outcome: 'stopped', turn_id: 'turn-1', signal: null } as const;
  expect(interruptWords({ ...interrupt, result: elsewhere })).toBe('Stopped turn turn-1.');
  const error = { code: 'internal_fault', detail: 'The runner does not end.' } as const;
  expect(interruptWords({ ...interrupt, state: 'failed', result: null, error })).toBe(
    'The interrupt failed (internal_fault): The runner does not end.',
  );
});
