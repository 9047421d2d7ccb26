/** Why a request or a turn ended badly: the codes that programs may rely on. The contract names the same ones. */
export const errorCodes = [
  'agent_crashed',
  'agent_failed',
  'agent_missing',
  'api_error',
  'discarded',
  'dispatch_failed',
  'failed',
  'gateway_restarted',
  'instance_changed',
  'internal_fault',
  'interrupt_unanswered',
  'interrupted',
  'invalid_chat_session',
  'invalid_execution',
  'missing_current_chat_session',
  'no_result',
  'peer_failed',
  'peer_invalid_answer',
  'peer_lost',
  'peer_refused',
  'peer_silent',
  'peer_unreachable',
  'provider_session_lost',
  'replaced',
  'turn_time_limit',
  'unavailable',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** Why something ended badly, for programs and for people. */
export interface RecordError {
  code: ErrorCode;
  detail: string;
}

/** The error of a request or turn that failed because of a fault in the gateway. */
export const internalFault = (error: Error): RecordError => ({
  code: 'internal_fault',
  detail: `The gateway hit an internal error: ${error.message}`,
});

const known: ReadonlySet<string> = new Set(errorCodes);
const isKnown = (code: string): code is ErrorCode => known.has(code);

/** Codes of earlier releases under their present names. */
const renamed: Readonly<Record<string, ErrorCode>> = { peer_rubbish: 'peer_invalid_answer' };

/**
 * What a row says of its end; null where it says nothing. A code that this release does not know, as in a row that a later
 * one wrote, reads as `failed`, with the code in the detail.
 */
export function storedError(code: string | null, detail: string | null): RecordError | null {
  if (code === null) return detail === null ? null : { code: 'failed', detail };
  const present = Object.hasOwn(renamed, code) ? renamed[code] : code;
  if (present !== undefined && isKnown(present)) return { code: present, detail: detail ?? '' };
  const stored = `(stored with the code "${code}", which this release does not know)`;
  return { code: 'failed', detail: detail === null ? stored : `${detail} ${stored}` };
}
