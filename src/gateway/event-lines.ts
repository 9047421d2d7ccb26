import type { StoredEvent } from '../events/event-table.js';
import { toJsonLine } from '../foundation/json-text.js';
import { sanitiseLine } from '../foundation/sanitise.js';

/** Kinds that only `gateway.log` tells of. */
const logOnly = new Set([
  'gateway_started',
  'gateway_stopping',
  'request_started',
  'fault',
  'recovered',
  'instance_observed',
  'reminder_deferral_told',
]);

/** The line of an event in `events.jsonl`; null when it has none there. */
export function toEventLine(event: StoredEvent): string | null {
  if (logOnly.has(event.kind)) return null;
  return toJsonLine({ ...(JSON.parse(event.data_json) as object), kind: event.kind });
}

/** The line of an event in `gateway.log`: `<time> <message>`; null when it has none. */
export function toLogLine(event: StoredEvent): string | null {
  const message = toLogMessage(event);
  return message === null ? null : `${event.at_utc} ${message}`;
}

/** That line without its time. */
export function toLogMessage(event: StoredEvent): string | null {
  const message = logMessage(event.kind, JSON.parse(event.data_json) as Record<string, unknown>);
  return message === null ? null : sanitiseLine(message);
}

/** The wordings other tooling greps for (gateway §3.2), and ours in the same manner. */
function logMessage(kind: string, data: Record<string, unknown>): string | null {
  const { request_id, request_kind, turn_id } = data;
  switch (kind) {
    case 'gateway_started':
      return `gateway started host=${data.host} port=${data.port} attach_identity=${data.attach_identity}`;
    case 'gateway_stopping':
      return 'gateway stopping';
    case 'accepted':
      return `accepted public gateway request request_id=${request_id} kind=${request_kind}`;
    case 'request_started':
      return `executing gateway request request_id=${request_id} kind=${request_kind}`;
    case 'completed':
      return `completed gateway request request_id=${request_id}`;
    case 'failed':
      return `failed gateway request request_id=${request_id} detail=${data.error_detail}`;
    case 'cancelled':
      return `cancelled gateway request request_id=${request_id}`;
    case 'coalesced':
      return `coalesced gateway control requests request_ids=${listed(data.coalesced_request_ids)} effective_actions=${listed(data.effective_actions)}`;
    case 'control_prompt_submitted':
      return `dispatched direct gateway prompt turn_id=${turn_id} forced=${data.forced}`;
    case 'control_prompt_completed':
      return `completed direct gateway prompt turn_id=${turn_id}`;
    case 'control_prompt_failed':
      return `direct gateway prompt failed turn_id=${turn_id} detail=${data.error_detail}`;
    case 'turn_handed_over':
      return `turn handed over turn_id=${turn_id} evidence=${data.evidence}`;
    case 'turn_confirmed':
      return `turn confirmed turn_id=${turn_id} evidence=${data.evidence}`;
    case 'provider_session_lost':
      return `provider conversation lost turn_id=${turn_id}; the pin is dropped, later prompts start afresh`;
    case 'instance_changed':
      return `agent instance changed epoch=${data.managed_agent_instance_epoch} instance_id=${data.managed_agent_instance_id}; queued work waits for reconciliation`;
    case 'queue_paused':
    case 'queue_resumed':
      return `${kind.replace('_', ' ')} queue_depth=${data.queue_depth}`;
    case 'reconciled':
      return `reconciled action=${data.action} adopted=${data.adopted} discarded=${data.discarded}`;
    case 'recovered':
      return `recovered after a restart turns_ended=${data.turns_ended} processes_ended=${data.processes_ended} requests_failed=${data.requests_failed}`;
    case 'reminder_registered':
    case 'reminder_updated':
      return `${kind.slice('reminder_'.length)} reminder reminder_id=${data.reminder_id} ranking=${data.ranking} paused=${data.paused ? 'True' : 'False'} next_due_at_utc=${data.next_due_at_utc}`;
    case 'reminder_deleted':
      return `deleted reminder reminder_id=${data.reminder_id} executing=${data.executing ? 'True' : 'False'}`;
    case 'reminder_started':
      return `executing reminder reminder_id=${data.reminder_id}`;
    case 'reminder_completed':
      return `completed reminder reminder_id=${data.reminder_id}`;
    case 'reminder_failed':
      return `failed reminder reminder_id=${data.reminder_id} detail=${data.error_detail}`;
    case 'reminder_deferral_told':
      return `deferred reminder reminder_id=${data.reminder_id} detail=${data.detail}${data.suppressed ? ` (suppressed ${data.suppressed} repeats)` : ''}`;
    case 'reminder_lost_on_restart':
      return `lost in-memory reminder reminder_id=${data.reminder_id} next_due_at_utc=${data.next_due_at_utc}`;
    case 'fault':
      return `error: ${data.detail}`;
    default:
      return null;
  }
}

const listed = (value: unknown): string => (Array.isArray(value) ? value.join(',') : '');
