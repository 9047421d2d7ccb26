import { expect, test } from 'vitest';
import { catalogue, type NewEvent } from '../../../src/events/catalogue.js';
import type { StoredEvent } from '../../../src/events/event-table.js';
import { toEventLine, toLogLine } from '../../../src/events/read-event.js';

const at = '2026-03-13T00:00:00+00:00';
const stored = (kind: string, data: object): StoredEvent => ({
  seq: 1,
  at_utc: at,
  kind,
  subject_id: null,
  data_json: JSON.stringify(data),
});
const event = <E extends NewEvent>(kind: E['kind'], data: E['data']): StoredEvent => stored(kind, data);

const request = { request_id: 'gwreq-1' };
const ended = { ...request, error_detail: null, result_json: null };
const turn = { turn_id: 't1', at_utc: at };
const reminder = { reminder_id: 'r1', mode: 'repeat', delivery_kind: 'prompt', ranking: -3 } as const;
const definition = {
  ...reminder,
  sequence_preview: null,
  ensure_enter: null,
  title: 'Inbox',
  prompt_preview: 'Look',
  next_due_at_utc: at,
  interval_seconds: 300,
};

// Other tools look for these words.
const lines: [StoredEvent, string | null][] = [
  [
    event('accepted', { ...request, request_kind: 'submit_prompt', accepted_at_utc: at }),
    'accepted public gateway request request_id=gwreq-1 kind=submit_prompt',
  ],
  [
    event('accepted_internal', { ...request, request_kind: 'mail_notifier_prompt', accepted_at_utc: at }),
    null,
  ],
  [
    event('request_started', { ...request, request_kind: 'interrupt' }),
    'executing gateway request request_id=gwreq-1 kind=interrupt',
  ],
  [event('completed', ended), 'completed gateway request request_id=gwreq-1'],
  [
    event('failed', { ...ended, error_detail: 'It\nbroke.' }),
    'failed gateway request request_id=gwreq-1 detail=It broke.',
  ],
  [event('cancelled', ended), 'cancelled gateway request request_id=gwreq-1'],
  [
    event('coalesced', {
      coalesced_at_utc: at,
      coalesced_request_ids: ['a', 'b'],
      effective_request_ids: ['c'],
      effective_actions: ['interrupt', 'submit_prompt:/new'],
      next_request_id: 'c',
    }),
    'coalesced gateway control requests request_ids=a,b effective_actions=interrupt,submit_prompt:/new',
  ],
  [event('turn_claimed', { ...turn, ...request, origin: 'queue' }), null],
  [
    event('turn_handed_over', { ...turn, ...request, evidence: 'process 7' }),
    'turn handed over turn_id=t1 request_id=gwreq-1 evidence=process 7',
  ],
  [
    event('turn_confirmed', { ...turn, request_id: null, evidence: 'a \u001b[2Jrow' }),
    'turn confirmed turn_id=t1 evidence=a \ufffd[2Jrow',
  ],
  [
    event('turn_ended', { ...turn, ...request, outcome: 'completed', error_code: null }),
    'turn ended turn_id=t1 request_id=gwreq-1 outcome=completed',
  ],
  [
    event('turn_ended', { ...turn, request_id: null, outcome: 'failed', error_code: 'api_error' }),
    'turn ended turn_id=t1 outcome=failed error_code=api_error',
  ],
  [
    event('provider_session_lost', { ...turn, ...request, session: { mode: 'new' } }),
    'provider conversation lost turn_id=t1 request_id=gwreq-1; the pin is dropped, later prompts start afresh',
  ],
  [
    event('control_prompt_submitted', { turn_id: 't1', forced: false, submitted_at_utc: at }),
    'dispatched direct gateway prompt turn_id=t1 forced=False',
  ],
  [
    event('control_prompt_completed', { turn_id: 't1', finished_at_utc: at }),
    'completed direct gateway prompt turn_id=t1',
  ],
  [
    event('control_prompt_failed', {
      turn_id: 't1',
      error_detail: 'No.',
      outcome: 'failed',
      finished_at_utc: at,
    }),
    'direct gateway prompt failed turn_id=t1 detail=No.',
  ],
  [
    event('instance_observed', {
      managed_agent_instance_epoch: 1,
      managed_agent_instance_id: 'i',
      at_utc: at,
    }),
    null,
  ],
  [
    event('instance_changed', {
      managed_agent_instance_epoch: 2,
      managed_agent_instance_id: null,
      at_utc: at,
    }),
    'agent instance changed epoch=2 instance_id=null; queued work waits for reconciliation',
  ],
  [
    event('control_input', {
      sequence_preview: '/model<[Enter]>',
      escape_special_keys: false,
      submitted_at_utc: at,
    }),
    'raw keys typed',
  ],
  [event('queue_paused', { queue_depth: 3, at_utc: at }), 'queue paused queue_depth=3'],
  [event('queue_resumed', { queue_depth: 0, at_utc: at }), 'queue resumed queue_depth=0'],
  [
    event('reconciled', {
      action: 'adopt',
      adopted: 2,
      discarded: 0,
      managed_agent_instance_epoch: 2,
      at_utc: at,
    }),
    'reconciled action=adopt adopted=2 discarded=0',
  ],
  [
    event('gateway_started', { host: '127.0.0.1', port: 43, attach_identity: 'HOUMAO-alpha' }),
    'gateway started host=127.0.0.1 port=43 attach_identity=HOUMAO-alpha',
  ],
  [event('gateway_stopping', {}), 'gateway stopping'],
  [
    event('recovered', { turns_ended: 1, processes_ended: 2, requests_failed: 3 }),
    'recovered after a restart turns_ended=1 processes_ended=2 requests_failed=3',
  ],
  [
    event('requests_forgotten', { requests: 3, keys: 2, audits: 1, before_utc: at }),
    `deleted what is older than the days that are kept requests=3 keys=2 audits=1 before_utc=${at}`,
  ],
  [event('fault', { detail: '/a/b: broken' }), 'error: /a/b: broken'],
  [
    event('reminder_registered', { ...definition, paused: true, created_at_utc: at }),
    `registered reminder reminder_id=r1 ranking=-3 paused=True next_due_at_utc=${at}`,
  ],
  [
    event('reminder_updated', { ...definition, paused: false }),
    `updated reminder reminder_id=r1 ranking=-3 paused=False next_due_at_utc=${at}`,
  ],
  [
    event('reminder_deleted', {
      reminder_id: 'r1',
      executing: true,
      delete_requested: true,
      detail: 'Soon.',
    }),
    'deleted reminder reminder_id=r1 executing=True',
  ],
  [
    event('reminder_started', {
      ...reminder,
      sequence_preview: null,
      ensure_enter: null,
      paused: false,
      started_at_utc: at,
      delete_requested: false,
    }),
    'executing reminder reminder_id=r1',
  ],
  [event('reminder_deferred', { ...reminder, detail: 'busy', next_due_at_utc: at }), null],
  [
    event('reminder_deferral_told', { reminder_id: 'r1', detail: 'busy', suppressed: 0 }),
    'deferred reminder reminder_id=r1 detail=busy',
  ],
  [
    event('reminder_deferral_told', { reminder_id: 'r1', detail: 'busy', suppressed: 4 }),
    'deferred reminder reminder_id=r1 detail=busy (suppressed 4 repeats)',
  ],
  [
    event('dialog_shown', {
      dialog_id: 'd1',
      dialog_kind: 'trust',
      text: 'Do you?',
      choices: ['Yes'],
      at_utc: at,
    }),
    'the agent waits for a person dialog_id=d1 kind=trust',
  ],
  [
    event('dialog_closed', { dialog_id: 'd1', answered_by: null, at_utc: at }),
    'the question is no longer shown dialog_id=d1',
  ],
  [
    event('reminder_completed', { reminder_id: 'r1', finished_at_utc: at, next_due_at_utc: null }),
    'completed reminder reminder_id=r1',
  ],
  [
    event('reminder_failed', {
      reminder_id: 'r1',
      finished_at_utc: at,
      next_due_at_utc: null,
      error_detail: 'No.',
    }),
    'failed reminder reminder_id=r1 detail=No.',
  ],
  [
    event('reminder_lost_on_restart', {
      ...reminder,
      paused: false,
      selection_state: 'blocked',
      delivery_state: 'overdue',
      next_due_at_utc: at,
    }),
    `lost in-memory reminder reminder_id=r1 next_due_at_utc=${at}`,
  ],
];

test('every kind of event is tried', () => {
  expect([...new Set(lines.map(([{ kind }]) => kind))].sort()).toEqual(Object.keys(catalogue).sort());
});

test.each(lines)('of %j gateway.log has %j', (one, words) => {
  expect(toLogLine(one)).toBe(words === null ? null : `${at} ${words}`);
});

test('events.jsonl has the data of an event with its kind, number and time, sorted', () => {
  expect(toEventLine(event('queue_paused', { queue_depth: 3, at_utc: at }))).toBe(
    `{"at_utc": "${at}", "kind": "queue_paused", "queue_depth": 3, "seq": 1}`,
  );
});

test('events.jsonl has a line of every kind; of a fault the words for callers', () => {
  const written = lines.map(([one]) => JSON.parse(toEventLine(one)));
  expect(written.map(({ seq, at_utc, kind }) => [seq, at_utc, kind])).toEqual(
    lines.map(([{ kind }]) => [1, at, kind]),
  );
  expect(toEventLine(event('fault', { detail: '/a/b: broken' }))).not.toContain('/a/b');
});

test('an event that an older version stored has its line; a turn then names no request', () => {
  const old = stored('turn_confirmed', { turn_id: 't1', evidence: 'a row', at_utc: at });
  expect(toLogLine(old)).toBe(`${at} turn confirmed turn_id=t1 evidence=a row`);
});

test('an event of a kind that is not known is in events.jsonl as it is; so is one with less than its kind has', () => {
  const strange = stored('comet', { tail: 2 });
  const less = stored('failed', { request_id: 'gwreq-1' });
  expect([toEventLine(strange), toLogLine(strange)]).toEqual([
    `{"at_utc": "${at}", "kind": "comet", "seq": 1, "tail": 2}`,
    null,
  ]);
  expect([toEventLine(less), toLogLine(less)]).toEqual([
    `{"at_utc": "${at}", "kind": "failed", "request_id": "gwreq-1", "seq": 1}`,
    null,
  ]);
});
