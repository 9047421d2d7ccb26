import type { PublishedAgent } from './registry.js';

/** The agents that a name may mean: none, one, or several. */
export type Choice =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly record: PublishedAgent }
  | { readonly kind: 'ambiguous'; readonly records: readonly PublishedAgent[] };

const prefix = 'HOUMAO-';

/**
 * Chooses an agent by its id, its name, or its name without `HOUMAO-`; case counts. Records with a current lease come before
 * those whose lease has expired.
 */
export function chooseAgent(name: string, records: readonly PublishedAgent[]): Choice {
  const meant = records.filter(
    ({ agentId, agentName }) => agentId === name || agentName === name || agentName === `${prefix}${name}`,
  );
  const renewed = meant.filter(({ leaseExpired }) => !leaseExpired);
  const [record, ...others] = renewed.length > 0 ? renewed : meant;
  if (record === undefined) return { kind: 'none' };
  return others.length === 0 ? { kind: 'one', record } : { kind: 'ambiguous', records: [record, ...others] };
}
