import { doneHeader, errorCodeHeader } from '../../contract/refusals.js';
import type { CallFault } from '../../fleet/calls/caller.js';
import type { Fleet } from '../../fleet/fleet.js';

/** The sentence for a call that needs the fleet, while this host is not in it. */
export function offlineWords({ state }: Pick<Fleet, 'state'>): string {
  const reason = 'reason' in state ? state.reason : 'the connection is being made';
  return `This host is not in its fleet now: ${reason}.`;
}

/** The sentence for a name that agents of several hosts have. */
export const severalHosts = (reference: string, references: readonly string[]): string =>
  `The name \`${reference}\` is that of ${references.length} agents of the fleet: ${references.join(', ')}. Ask for one of them.`;

/** The sentence for an agent of this host that belongs to another one: its session was copied there, or from there. */
export const heldWords = (
  reference: string,
  { host, sinceUtc }: { host: string; sinceUtc: string },
): string =>
  `The session of agent \`${reference}\` is one of host ${host} since ${sinceUtc}, and this host has a copy of it: nothing was given to it. Ask for \`${reference}@${host}\`, or stop it there; this host may take it ten minutes after that one was last heard of.`;

/** The sentence for a call to another host that got no answer. @param changes whether it may have changed something. */
export function callFaultWords({ trouble, message }: CallFault, host: string, changes: boolean): string {
  switch (trouble) {
    case 'away':
      return `Host ${host} is not in the fleet now; nothing was sent to it.`;
    case 'failed':
      return `${message[0]?.toUpperCase() ?? ''}${message.slice(1)}. Nothing was done.`;
    case 'lost':
      return changes
        ? `Host ${host} was lost before it answered; whether it did what was asked is not known.`
        : `Host ${host} was lost before it answered.`;
  }
}

export const callFaultHeaders = ({ trouble }: CallFault, changes: boolean): Record<string, string> => ({
  [errorCodeHeader]: 'host_away',
  ...(trouble === 'lost' && changes && { [doneHeader]: 'unknown' }),
});
