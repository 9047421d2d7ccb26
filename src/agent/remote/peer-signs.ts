import { UnusableFile } from '../../foundation/unusable-file.js';
import { internalFault, type RecordError } from '../../run/record-error.js';
import type { StopOutcome } from '../../run/running-turn.js';
import { noSigns, type TurnSigns } from '../../run/turn-signs.js';
import type { Refusal } from '../target/agent-target.js';
import { sessionTrouble } from '../target/session-trouble.js';
import { PeerFault } from './peer-client.js';

/** The error that a caller sees; when the other server is at fault, its code is `peer_` and the kind of trouble. */
export function peerError(error: unknown): RecordError {
  if (error instanceof PeerFault) return { code: `peer_${error.trouble}` as const, detail: error.message };
  if (error instanceof UnusableFile) return { code: 'unavailable', detail: sessionTrouble(error) };
  return internalFault(error as Error);
}

/** How a turn ended that failed before the prompt went out. */
export const failedUnsent = (error: unknown): TurnSigns => ({
  ...noSigns,
  toldOutcome: { outcome: 'failed', error: peerError(error) },
});

/** How a turn ended that got no further than handing over the prompt. */
export const handOverFailed = (error: unknown): TurnSigns => ({
  ...failedUnsent(error),
  deliveryUnknown: error instanceof PeerFault && error.mayHaveActed ? error.message : null,
});

/** How a turn ended that was stopped before the server got the prompt. */
export const neverSent: TurnSigns = {
  ...noSigns,
  toldOutcome: {
    outcome: 'interrupted',
    error: { code: 'interrupted', detail: 'The turn was interrupted before the prompt was sent.' },
  },
};

export const stopFailed = (error: unknown): StopOutcome => ({ outcome: 'failed', error: peerError(error) });

export const noAuthority: Refusal = {
  code: 'unavailable',
  detail: 'The session manifest does not name the server that runs the agent.',
};
