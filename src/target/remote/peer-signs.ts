import { UnusableFile } from '../../session/file-schema.js';
import type { StopOutcome } from '../../turn/running-turn.js';
import { noSigns, type TurnSigns } from '../../turn/turn-signs.js';
import type { Refusal } from '../agent-target.js';
import { sessionTrouble } from '../session-trouble.js';
import { PeerFault } from './peer-client.js';

/** The error that a caller sees; where the other server is at fault, its code is `peer_` and the trouble. */
export function peerError(error: unknown): { code: string; detail: string } {
  if (error instanceof PeerFault) return { code: `peer_${error.trouble}`, detail: error.message };
  if (error instanceof UnusableFile) return { code: 'unavailable', detail: sessionTrouble(error) };
  return { code: 'internal_fault', detail: `The gateway met a fault: ${(error as Error).message}` };
}

/** The end of a turn that failed before the prompt went out. */
export const failedUnsent = (error: unknown): TurnSigns => ({
  ...noSigns,
  told: { outcome: 'failed', error: peerError(error) },
});

/** The end of a turn that got no further than handing over the prompt. */
export const handOverFailed = (error: unknown): TurnSigns => ({
  ...failedUnsent(error),
  deliveryUnknown: error instanceof PeerFault && error.mayHaveActed ? error.message : null,
});

/** The end of a turn that was stopped before the server got the prompt. */
export const neverSent: TurnSigns = {
  ...noSigns,
  told: {
    outcome: 'interrupted',
    error: { code: 'interrupted', detail: 'The turn was interrupted before the prompt was sent.' },
  },
};

export const stopFailed = (error: unknown): StopOutcome => ({ outcome: 'failed', error: peerError(error) });

export const noAuthority: Refusal = {
  code: 'unavailable',
  detail: 'The session manifest does not name the server that runs the agent.',
};
