import { sanitiseLine } from '../foundation/text.js';
import {
  type EventFields,
  flag,
  integer,
  later,
  number,
  object,
  oneOf,
  orNull,
  type Stored,
  text,
  texts,
  type Written,
} from './event-fields.js';

/** A line of a log for people, in parts: `what name=value name=value rest`. */
export interface LogLine {
  what: string;
  /** A fact whose value is undefined is left out. */
  facts: Readonly<Record<string, string | number | boolean | null | undefined>>;
  /** Appended unchanged. */
  rest: string;
}

export const line = (what: string, facts: LogLine['facts'] = {}, rest = ''): LogLine => ({
  what,
  facts,
  rest,
});

/** Renders the parts as one line, without a timestamp. */
export function renderLine({ what, facts, rest }: LogLine): string {
  let text = what;
  for (const name in facts) {
    const value = facts[name];
    // `True` and `False` are the spellings that tools which read these logs expect.
    if (value !== undefined)
      text += ` ${name}=${value === true ? 'True' : value === false ? 'False' : value}`;
  }
  return sanitiseLine(text + rest);
}

// Every kind of event. `GET /v1/events`, `events.jsonl`, `gateway.log` and the diagnostic log are made from this
// catalogue; the contract's GatewayEvent has the same kinds with the same fields (test/types/events.test-d.ts).

/** The importance of a kind: warnings and errors also go into the diagnostic log. */
export type EventLevel = 'info' | 'warning' | 'error';

export interface KindOfEvent<F> {
  /** The fields of its data, by name. */
  readonly fields: F;
  /** Its line in the log for people; null when it has none. */
  readonly log: { readonly level: EventLevel; line(data: Stored<F>): LogLine } | null;
  /**
   * The data that callers and `events.jsonl` get in place of the real data, where that is for operators only; null when
   * they get all of it.
   */
  readonly shown: Stored<F> | null;
}

/** A kind without a line for people. */
const quiet = <F extends EventFields>(fields: F): KindOfEvent<F> => ({ fields, log: null, shown: null });
const logged =
  (level: EventLevel) =>
  <F extends EventFields>(
    fields: F,
    line: (data: Stored<F>) => LogLine,
    shown: Stored<F> | null = null,
  ): KindOfEvent<F> => ({ fields, log: { level, line }, shown });
const info = logged('info');
const warning = logged('warning');
const error = logged('error');

const requestKind = oneOf('submit_prompt', 'interrupt', 'mail_notifier_prompt');
const ids = { request_id: text, request_kind: requestKind };
const accepted = { ...ids, accepted_at_utc: text };
const ended = { request_id: text, error_detail: orNull(text), result_json: orNull(object) };
const turn = { turn_id: text, at_utc: text };
const ofRequest = { request_id: later(orNull(text)) };
const delivery = { ...turn, ...ofRequest, evidence: text };
const conversationMode = oneOf('new', 'tool_last_or_new', 'exact');
const conversation = (value: unknown): value is { mode: 'new' | 'tool_last_or_new' | 'exact'; id?: string } =>
  object(value) && conversationMode(value.mode) && (value.id === undefined || text(value.id));
const outcome = oneOf('completed', 'failed', 'interrupted', 'replaced');
const instance = {
  managed_agent_instance_epoch: integer,
  managed_agent_instance_id: orNull(text),
  at_utc: text,
};
const queue = { queue_depth: integer, at_utc: text };
const reminder = {
  reminder_id: text,
  mode: oneOf('one_off', 'repeat'),
  delivery_kind: oneOf('prompt', 'send_keys'),
  ranking: integer,
};
const keys = { sequence_preview: orNull(text), ensure_enter: orNull(flag) };
const definition = {
  ...reminder,
  ...keys,
  title: text,
  paused: flag,
  prompt_preview: orNull(text),
  next_due_at_utc: text,
  interval_seconds: orNull(number),
};
const delivered = { reminder_id: text, finished_at_utc: text, next_due_at_utc: orNull(text) };

/** Returns the facts of a turn for a log line. The request id, where there is one, lets `grep <request id>` find the turn. */
const turnFacts = (data: { turn_id: string; request_id?: string | null }) => ({
  turn_id: data.turn_id,
  request_id: data.request_id ?? undefined,
});
const plannedFacts = (data: Stored<typeof definition>) => ({
  reminder_id: data.reminder_id,
  ranking: data.ranking,
  paused: data.paused,
  next_due_at_utc: data.next_due_at_utc,
});

export const catalogue = {
  // Requests.
  accepted: info(accepted, ({ request_id, request_kind }) =>
    line('accepted public gateway request', { request_id, kind: request_kind }),
  ),
  accepted_internal: quiet(accepted),
  request_started: info(ids, ({ request_id, request_kind }) =>
    line('executing gateway request', { request_id, kind: request_kind }),
  ),
  completed: info(ended, ({ request_id }) => line('completed gateway request', { request_id })),
  failed: error(ended, ({ request_id, error_detail }) =>
    line('failed gateway request', { request_id, detail: error_detail }),
  ),
  cancelled: info(ended, ({ request_id }) => line('cancelled gateway request', { request_id })),
  coalesced: info(
    {
      coalesced_at_utc: text,
      coalesced_request_ids: texts,
      effective_request_ids: texts,
      effective_actions: texts,
      next_request_id: text,
    },
    ({ coalesced_request_ids, effective_actions }) =>
      line('coalesced gateway control requests', {
        request_ids: coalesced_request_ids.join(','),
        effective_actions: effective_actions.join(','),
      }),
  ),

  // Turns and their delivery.
  turn_claimed: quiet({
    ...turn,
    origin: oneOf('queue', 'direct', 'reminder', 'notifier'),
    request_id: orNull(text),
  }),
  turn_handed_over: info(delivery, (data) =>
    line('turn handed over', { ...turnFacts(data), evidence: data.evidence }),
  ),
  turn_confirmed: info(delivery, (data) =>
    line('turn confirmed', { ...turnFacts(data), evidence: data.evidence }),
  ),
  turn_ended: info({ ...turn, ...ofRequest, outcome, error_code: orNull(text) }, (data) =>
    line('turn ended', {
      ...turnFacts(data),
      outcome: data.outcome,
      error_code: data.error_code ?? undefined,
    }),
  ),
  provider_session_lost: warning({ ...turn, ...ofRequest, session: conversation }, (data) =>
    line('provider conversation lost', turnFacts(data), '; the pin is dropped, later prompts start afresh'),
  ),

  control_input: info({ sequence_preview: text, escape_special_keys: flag, submitted_at_utc: text }, () =>
    line('raw keys typed', {}),
  ),

  // Questions to a person.
  dialog_shown: info(
    { dialog_id: text, dialog_kind: text, text, choices: texts, at_utc: text },
    ({ dialog_id, dialog_kind }) => line('the agent waits for a person', { dialog_id, kind: dialog_kind }),
  ),
  dialog_closed: info(
    { dialog_id: text, answered_by: orNull(oneOf('choose', 'keys')), at_utc: text },
    ({ dialog_id, answered_by }) =>
      line('the question is no longer shown', { dialog_id, answered_by: answered_by ?? undefined }),
  ),

  // Direct prompts.
  control_prompt_submitted: info(
    { turn_id: text, forced: flag, submitted_at_utc: text },
    ({ turn_id, forced }) => line('dispatched direct gateway prompt', { turn_id, forced }),
  ),
  control_prompt_completed: info({ turn_id: text, finished_at_utc: text }, ({ turn_id }) =>
    line('completed direct gateway prompt', { turn_id }),
  ),
  control_prompt_failed: error(
    { turn_id: text, error_detail: text, outcome, finished_at_utc: text },
    ({ turn_id, error_detail }) => line('direct gateway prompt failed', { turn_id, detail: error_detail }),
  ),

  // The agent and the queue.
  instance_observed: quiet(instance),
  instance_changed: info(instance, (data) =>
    line(
      'agent instance changed',
      { epoch: data.managed_agent_instance_epoch, instance_id: data.managed_agent_instance_id },
      '; queued work waits for reconciliation',
    ),
  ),
  queue_paused: info(queue, ({ queue_depth }) => line('queue paused', { queue_depth })),
  queue_resumed: info(queue, ({ queue_depth }) => line('queue resumed', { queue_depth })),
  reconciled: info(
    {
      action: oneOf('adopt', 'discard'),
      adopted: integer,
      discarded: integer,
      managed_agent_instance_epoch: integer,
      at_utc: text,
    },
    ({ action, adopted, discarded }) => line('reconciled', { action, adopted, discarded }),
  ),

  // The gateway itself.
  gateway_started: info(
    { host: text, port: integer, attach_identity: text },
    ({ host, port, attach_identity }) => line('gateway started', { host, port, attach_identity }),
  ),
  gateway_stopping: info({}, () => line('gateway stopping')),
  recovered: info(
    { turns_ended: integer, processes_ended: integer, requests_failed: integer },
    ({ turns_ended, processes_ended, requests_failed }) =>
      line('recovered after a restart', { turns_ended, processes_ended, requests_failed }),
  ),
  requests_forgotten: info(
    { requests: integer, keys: integer, audits: integer, before_utc: text },
    ({ requests, keys, audits, before_utc }) =>
      line('deleted what is older than the days that are kept', { requests, keys, audits, before_utc }),
  ),
  fault: error({ detail: text }, ({ detail }) => line('error', {}, `: ${detail}`), {
    // The detail of a fault may name files and contain a stack.
    detail: 'The gateway hit an internal error; gateway.log has it.',
  }),

  // Reminders.
  reminder_registered: info({ ...definition, created_at_utc: text }, (data) =>
    line('registered reminder', plannedFacts(data)),
  ),
  reminder_updated: info(definition, (data) => line('updated reminder', plannedFacts(data))),
  reminder_deleted: info(
    { reminder_id: text, executing: flag, delete_requested: flag, detail: text },
    ({ reminder_id, executing }) => line('deleted reminder', { reminder_id, executing }),
  ),
  reminder_started: info(
    { ...reminder, ...keys, paused: flag, started_at_utc: text, delete_requested: flag },
    ({ reminder_id }) => line('executing reminder', { reminder_id }),
  ),
  reminder_deferred: quiet({ ...reminder, detail: text, next_due_at_utc: text }),
  // A deferral as `gateway.log` reports it: one in a while, with the number of those left out before it.
  reminder_deferral_told: warning(
    { reminder_id: text, detail: text, suppressed: integer },
    ({ reminder_id, detail, suppressed }) =>
      line(
        'deferred reminder',
        { reminder_id, detail },
        suppressed > 0 ? ` (suppressed ${suppressed} repeats)` : '',
      ),
  ),
  reminder_completed: info(delivered, ({ reminder_id }) => line('completed reminder', { reminder_id })),
  reminder_failed: error({ ...delivered, error_detail: text }, ({ reminder_id, error_detail }) =>
    line('failed reminder', { reminder_id, detail: error_detail }),
  ),
  reminder_lost_on_restart: warning(
    {
      ...reminder,
      paused: flag,
      selection_state: oneOf('effective', 'blocked'),
      delivery_state: oneOf('scheduled', 'overdue', 'executing'),
      next_due_at_utc: text,
    },
    ({ reminder_id, next_due_at_utc }) => line('lost in-memory reminder', { reminder_id, next_due_at_utc }),
  ),
} as const;

export type EventKind = keyof typeof catalogue;
type FieldsOf<K extends EventKind> = (typeof catalogue)[K]['fields'];
/** The data of a new event of this kind. */
export type EventData<K extends EventKind> = Written<FieldsOf<K>>;
/** The data of a stored event of this kind, also of one that an older version wrote. */
export type StoredData<K extends EventKind> = Stored<FieldsOf<K>>;

/** An event to append. A kind that is not in the catalogue, or data that the kind does not have, does not compile. */
export type NewEvent = {
  [K in EventKind]: { kind: K; subjectId: string | null; data: EventData<K> };
}[EventKind];

/** Returns the catalogue entry of a kind; null for a kind that this program does not know, such as one of a newer version. */
export const entryOf = (kind: string): KindOfEvent<EventFields> | null =>
  Object.hasOwn(catalogue, kind) ? (catalogue[kind as EventKind] as KindOfEvent<EventFields>) : null;
