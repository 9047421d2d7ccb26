import type { Clock } from '../../foundation/clock.js';
import { ClockJump } from '../../foundation/clock-jump.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { renewLease } from '../../session/registry.js';

const renewMilliseconds = 60 * 60 * 1000;
const lookMilliseconds = 60 * 1000;

/**
 * Renews the registry record of the agent while its gateway lives, also when the clock was set: a lease ends at a time
 * of day.
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
  const stopping = new AbortController();
  const renew = (): void => {
    try {
      renewLease(registry, agent_id, registry_generation_id, clock.now());
    } catch (error) {
      report(`the registry lease was not renewed: ${(error as Error).message}`);
    }
  };
  const keep = async (): Promise<void> => {
    const set = new ClockJump(clock);
    for (let due = clock.monotonic(); !stopping.signal.aborted; ) {
      if (set.look() !== 0 || clock.monotonic() >= due) {
        renew();
        due = clock.monotonic() + renewMilliseconds;
      }
      await clock.sleep(lookMilliseconds, stopping.signal);
    }
  };
  keep().catch((error: Error) => report(`the registry lease is not kept: ${error.message}`));
  return () => stopping.abort();
}
