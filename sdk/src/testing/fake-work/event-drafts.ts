import type { Schemas } from '../../gateway/contract.js';

type Event = Schemas['GatewayEvent'];
type RequestRecord = Schemas['RequestRecord'];
type TurnRecord = Schemas['TurnRecord'];

/** An event before it has its sequence number. */
export type EventDraft = {
  [Kind in Event['kind']]: Pick<Extract<Event, { kind: Kind }>, 'kind' | 'subject_id' | 'at_utc' | 'data'>;
}[Event['kind']];

/** The events of a gateway that accepts a request and begins it. */
export const acceptedEvents = ({
  request_id,
  request_kind,
  accepted_at_utc: at_utc,
}: RequestRecord): EventDraft[] => [
  {
    kind: 'accepted',
    subject_id: request_id,
    at_utc,
    data: { request_id, request_kind, accepted_at_utc: at_utc },
  },
  { kind: 'request_started', subject_id: request_id, at_utc, data: { request_id, request_kind } },
];

/** The event of a prompt that goes past the queue. */
export const directPromptEvent = ({ turn_id, started_at_utc: at_utc }: TurnRecord): EventDraft => ({
  kind: 'control_prompt_submitted',
  subject_id: turn_id,
  at_utc,
  data: { turn_id, forced: false, submitted_at_utc: at_utc },
});

/** The events of a turn until the agent works on it. */
export function turnBegunEvents({
  turn_id,
  request_id,
  origin,
  started_at_utc,
  delivery,
}: TurnRecord): EventDraft[] {
  const { evidence, at_utc: confirmedAt } = delivery;
  const at_utc = confirmedAt ?? started_at_utc;
  const handedOver = { turn_id, request_id, evidence: 'the fake has the prompt', at_utc: started_at_utc };
  return [
    {
      kind: 'turn_claimed',
      subject_id: turn_id,
      at_utc: started_at_utc,
      data: { turn_id, origin, request_id, at_utc: started_at_utc },
    },
    { kind: 'turn_handed_over', subject_id: turn_id, at_utc: started_at_utc, data: handedOver },
    {
      kind: 'turn_confirmed',
      subject_id: turn_id,
      at_utc,
      data: { turn_id, request_id, evidence: evidence ?? '', at_utc },
    },
  ];
}

export function turnEndedEvent({
  turn_id,
  request_id,
  outcome,
  error,
  ended_at_utc,
}: TurnRecord): EventDraft {
  const at_utc = ended_at_utc ?? '';
  return {
    kind: 'turn_ended',
    subject_id: turn_id,
    at_utc,
    data: { turn_id, request_id, outcome: outcome ?? 'failed', error_code: error?.code ?? null, at_utc },
  };
}

/** The event of a request that has ended. */
export function requestEndedEvent({
  request_id,
  request_kind,
  state,
  error,
  finished_at_utc,
}: RequestRecord): EventDraft {
  const at_utc = finished_at_utc ?? '';
  const result_json = state === 'completed' ? { request_kind, completed_at_utc: at_utc } : null;
  return {
    kind: state === 'completed' ? 'completed' : 'failed',
    subject_id: request_id,
    at_utc,
    data: { request_id, error_detail: error?.detail ?? null, result_json },
  };
}

/** The event of the end of a prompt that went past the queue. */
export function directPromptEndedEvent({ turn_id, outcome, error, ended_at_utc }: TurnRecord): EventDraft {
  const at_utc = ended_at_utc ?? '';
  const about = { turn_id, finished_at_utc: at_utc };
  return error === null
    ? { kind: 'control_prompt_completed', subject_id: turn_id, at_utc, data: about }
    : {
        kind: 'control_prompt_failed',
        subject_id: turn_id,
        at_utc,
        data: { ...about, error_detail: error.detail, outcome: outcome ?? 'failed' },
      };
}
