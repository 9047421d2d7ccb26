import { explainProviderError } from '../../run/provider-error.js';
import type { RecordError } from '../../run/record-error.js';
import type { TurnSigns } from '../../run/turn-signs.js';
import type { ManagedTurn } from './managed-api.js';

/** The server's verdict in our terms. */
export function outcomeOf(record: ManagedTurn): NonNullable<TurnSigns['toldOutcome']> {
  switch (record.status) {
    case 'completed':
      return { outcome: 'completed', error: null };
    case 'interrupted':
      return {
        outcome: 'interrupted',
        error: { code: 'interrupted', detail: 'The server ended the turn as interrupted.' },
      };
    case 'failed':
      return { outcome: 'failed', error: failureOf(record) };
    default:
      return {
        outcome: 'failed',
        error: { code: 'no_result', detail: 'The server does not know how the turn ended.' },
      };
  }
}

function failureOf({ error, returncode }: ManagedTurn): RecordError {
  const words = error ?? '';
  const explained = explainProviderError(words);
  if (explained) return { code: 'api_error', detail: explained };
  const code = returncode === null || returncode === undefined ? '' : ` with code ${returncode}`;
  return { code: 'agent_failed', detail: `The agent of the server failed${code}. ${words}`.trim() };
}
