import { splitReference } from '../../foundation/host-name.js';
import { unprefixedName } from '../../launch/agent-name.js';
import type { AgentCopy } from './agent-list.js';

// Where the agent of a reference is: on this host, or on another one of the fleet.

/** The agent that a reference means, as far as its host is concerned. */
export type AgentPlace =
  /** It is an agent of this host, or there is none of that name: the directory of this host answers. */
  | { readonly kind: 'here' }
  | { readonly kind: 'there'; readonly host: string; readonly reference: string }
  /** The hosts of the fleet that have one of that name. */
  | { readonly kind: 'several'; readonly references: readonly string[] };

/** The names of an agent in references. */
export const namesOf = ({ tracked_agent_id, agent_name, agent_id }: AgentCopy): (string | null)[] => [
  tracked_agent_id,
  agent_name,
  agent_name === null ? null : unprefixedName(agent_name),
  agent_id,
];

/** Pure: every name by which prompts may have named an agent that is known by one of them. @param host left out, on any host */
export const namesAlike = (
  name: string,
  host: string | undefined,
  copies: readonly AgentCopy[],
): ReadonlySet<string> =>
  new Set([
    name,
    ...copies
      .filter((copy) => (host === undefined || copy.host === host) && namesOf(copy).includes(name))
      .flatMap((copy) => namesOf(copy).flatMap((one) => one ?? [])),
  ]);

/**
 * Pure: says where an agent is. A host that is named decides; else this host comes first, then the only agent of the fleet with that
 * name.
 * @param isHere whether this host has an agent of that name.
 */
export function placeOf(
  reference: string,
  { own, isHere, copies }: { own: string; isHere: boolean; copies: readonly AgentCopy[] },
): AgentPlace {
  if (isHere) return { kind: 'here' };
  const named = splitReference(reference);
  if (named?.host === own) return { kind: 'here' };
  if (named) return { kind: 'there', host: named.host, reference: `${named.agent}@${named.host}` };
  const found = copies.filter((copy) => namesOf(copy).includes(reference));
  const references = found.map(({ host }) => `${reference}@${host}`);
  const [one, ...more] = references;
  if (one === undefined) return { kind: 'here' };
  if (more.length > 0) return { kind: 'several', references };
  return { kind: 'there', host: found[0]?.host ?? '', reference: one };
}
