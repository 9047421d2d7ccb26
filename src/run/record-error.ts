/** The codes for failed requests and turns, on which programs may rely. The contract names the same ones. */
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
  'lapsed',
  'missing_current_chat_session',
  'no_result',
  'not_admitted',
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
export type RecordErrorCode = (typeof errorCodes)[number];

/** The reason of a failure, for programs and for people. */
export interface RecordError {
  code: RecordErrorCode;
  detail: string;
}

/** The error of a request or turn that failed because of a fault in the gateway. */
export const internalFault = (error: Error): RecordError => ({
  code: 'internal_fault',
  detail: `The gateway hit an internal error: ${error.message}`,
});

const known: ReadonlySet<string> = new Set(errorCodes);
const isKnown = (code: string): code is RecordErrorCode => known.has(code);

/** Codes of earlier releases and their present names. */
const renamed: Readonly<Record<string, RecordErrorCode>> = { peer_rubbish: 'peer_invalid_answer' };

/**
 * Reads the error that a row stores; null if it stores none. A code that this release does not know, as in a row of a later
 * release, reads as `failed`, with the code in the detail.
 */
export function storedError(code: string | null, detail: string | null): RecordError | null {
  if (code === null) return detail === null ? null : { code: 'failed', detail };
  const present = Object.hasOwn(renamed, code) ? renamed[code] : code;
  if (present !== undefined && isKnown(present)) return { code: present, detail: detail ?? '' };
  const stored = `(stored with the code "${code}", which this release does not know)`;
  return { code: 'failed', detail: detail === null ? stored : `${detail} ${stored}` };
}

const meanings: Readonly<Record<number, string>> = {
  400: 'the provider rejected the request',
  401: 'the provider refused the credentials',
  403: 'the provider refused access',
  404: 'the provider does not know the model or address',
  413: 'the request is too large for the provider',
  429: 'the provider limits the rate; try again later',
  500: 'the provider has an internal error',
  502: 'the provider is not reachable behind its gateway',
  503: 'the provider is unavailable',
  529: 'the provider is overloaded; try again later',
};

/** Explains the error of the provider's API that an agent's text contains; null if the text is about something else. */
export function explainProviderError(text: string): string | null {
  const status = Number(
    /\b(?:API Error:?|status(?: code)?:?|HTTP|error code:?|unexpected status|code["']?:)\s*\(?(\d{3})\b/i.exec(
      text,
    )?.[1] ??
      /\b(?:error|failed|failure)\b.{0,40}?\b(401|403|429|500|502|503|529)\b/i.exec(text)?.[1] ??
      /\b(401|403|429|500|502|503|529)\b.{0,20}?\b(?:error|unauthorized|forbidden|too many|overloaded|unavailable)\b/i.exec(
        text,
      )?.[1] ??
      Number.NaN,
  );
  const meaning = meanings[status];
  if (meaning) return `API error ${status}: ${meaning}. The agent said: ${text}`;
  if (/API Error|overloaded|rate.?limit|authenticat|unauthorized/i.test(text))
    return `API error. The agent said: ${text}`;
  return null;
}
