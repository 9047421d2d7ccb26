import { doneHeader, errorCodeHeader } from '../../contract/refusals.js';
import type { CallFault } from '../../fleet/calls/caller.js';
import type { FleetSession } from '../../fleet/engine/link.js';
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

/** The sentence for a name that no host of the fleet has. */
export function noSuchHost(host: string, { hosts }: Pick<Fleet, 'hosts'>): string {
  const names = hosts.list().map(({ record }) => record.host);
  return `No host of the fleet has the name \`${host}\`. Hosts: ${names.join(', ')}.`;
}

/** The answer to a call for an agent of another host, where it came to no answer of that host. */
export interface CallRefusal {
  readonly status: 404 | 503;
  readonly detail: string;
  readonly headers: Record<string, string>;
}

/**
 * Says why a call to another host got no answer: a host that the fleet does not have is not one that is away.
 * @param changes whether the call may have changed something
 */
export async function callRefusal(
  fleet: Fleet,
  session: FleetSession,
  { fault, host, changes }: { fault: CallFault; host: string; changes: boolean },
): Promise<CallRefusal> {
  const isKnown = fault.trouble !== 'away' || (await fleet.hasHost(session, host).catch(() => true));
  if (!isKnown)
    return { status: 404, detail: noSuchHost(host, fleet), headers: { [errorCodeHeader]: 'unknown_agent' } };
  const headers = {
    [errorCodeHeader]: 'host_away',
    ...(fault.trouble === 'lost' && changes && { [doneHeader]: 'unknown' }),
  };
  return { status: 503, detail: callFaultWords(fault, host, changes), headers };
}

function callFaultWords({ trouble, message }: CallFault, host: string, changes: boolean): string {
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
