import { expect, test } from 'vitest';
import type { DiagnosticEntry } from '../../../../src/diagnostics/diagnostic-entry.js';
import type { NewEvent } from '../../../../src/events/catalogue.js';
import { warnInto } from '../../../../src/gateway/process/event-followers.js';

const at = '2026-03-13T00:00:00+00:00';

/** The entries of the diagnostic log for an event. */
function noted({ kind, subjectId, data }: NewEvent): DiagnosticEntry[] {
  const entries: DiagnosticEntry[] = [];
  warnInto({ note: (entry) => void entries.push(entry) })([
    { seq: 1, at_utc: at, kind, subject_id: subjectId, data_json: JSON.stringify(data) },
  ]);
  return entries;
}

const turn = { turn_id: 't1', at_utc: at };
const delivered = { reminder_id: 'r1', finished_at_utc: at, next_due_at_utc: null };
const scary = 'status=error: the last turn failed, deferred, lost, refused';

test.each<NewEvent>([
  {
    kind: 'turn_confirmed',
    subjectId: 't1',
    data: { ...turn, request_id: 'gwreq-1', evidence: 'status=error' },
  },
  { kind: 'turn_handed_over', subjectId: 't1', data: { ...turn, request_id: null, evidence: scary } },
  {
    kind: 'gateway_started',
    subjectId: null,
    data: { host: '127.0.0.1', port: 1, attach_identity: 'error lost' },
  },
  {
    kind: 'turn_ended',
    subjectId: 't1',
    data: { ...turn, request_id: null, outcome: 'failed', error_code: 'x' },
  },
  {
    kind: 'accepted',
    subjectId: 'gwreq-1',
    data: { request_id: 'gwreq-failed', request_kind: 'submit_prompt', accepted_at_utc: at },
  },
])('nothing is amiss with $kind, whatever words it holds', (event) => {
  expect(noted(event)).toEqual([]);
});

test.each<[NewEvent, object]>([
  [
    {
      kind: 'failed',
      subjectId: 'gwreq-1',
      data: { request_id: 'gwreq-1', error_detail: 'turn_id=x kind=y', result_json: null },
    },
    { level: 'error', message_code: 'failed_gateway_request', request_id: 'gwreq-1' },
  ],
  [
    {
      kind: 'control_prompt_failed',
      subjectId: 't1',
      data: { turn_id: 't1', error_detail: 'x', outcome: 'failed', finished_at_utc: at },
    },
    { level: 'error', message_code: 'direct_gateway_prompt_failed', turn_id: 't1' },
  ],
  [
    { kind: 'fault', subjectId: null, data: { detail: 'something broke: request_id=x' } },
    { level: 'error', message_code: 'error' },
  ],
  [
    { kind: 'reminder_failed', subjectId: 'r1', data: { ...delivered, error_detail: 'x' } },
    { level: 'error', message_code: 'failed_reminder', reminder_id: 'r1' },
  ],
  [
    {
      kind: 'reminder_deferral_told',
      subjectId: 'r1',
      data: { reminder_id: 'r1', detail: "request_admission='x'", suppressed: 3 },
    },
    {
      level: 'warning',
      message_code: 'deferred_reminder',
      reminder_id: 'r1',
      suppression_notice: '(suppressed 3 repeats)',
    },
  ],
  [
    {
      kind: 'reminder_lost_on_restart',
      subjectId: 'r1',
      data: {
        reminder_id: 'r1',
        mode: 'one_off',
        delivery_kind: 'prompt',
        ranking: 0,
        paused: false,
        selection_state: 'effective',
        delivery_state: 'scheduled',
        next_due_at_utc: at,
      },
    },
    { level: 'warning', message_code: 'lost_in_memory_reminder', reminder_id: 'r1' },
  ],
  [
    {
      kind: 'provider_session_lost',
      subjectId: 't1',
      data: { ...turn, request_id: 'gwreq-1', session: { mode: 'exact', id: 's' } },
    },
    {
      level: 'warning',
      message_code: 'provider_conversation_lost',
      turn_id: 't1',
      request_id: 'gwreq-1',
    },
  ],
])('%j is in the diagnostic log as %j', (event, expected) => {
  const [entry, ...more] = noted(event);
  expect(more).toEqual([]);
  expect({ level: entry?.level, ...entry?.fields }).toEqual(expected);
});
