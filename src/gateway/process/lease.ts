import type { Clock } from '../../foundation/clock.js';
import { renewHourly } from '../../session/lease-times.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { renewLease } from '../../session/registry.js';

/**
 * Renews the registry record of the agent while its gateway lives.
 * @param registry the folder of the registry.
 * @returns the function that stops it.
 */
export function keepLease(
  registry: string,
  manifest: Pick<Manifest, 'agent_id' | 'registry_generation_id'>,
  clock: Clock,
  report: (fault: string) => void,
): () => void {
  const { agent_id, registry_generation_id } = manifest;
  if (!agent_id || !registry_generation_id) return () => undefined;
  return renewHourly(() => {
    try {
      renewLease(registry, agent_id, registry_generation_id, clock.now());
    } catch (error) {
      report(`the registry lease was not renewed: ${(error as Error).message}`);
    }
  }, clock);
}
