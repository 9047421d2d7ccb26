import type { Clock } from '../foundation/clock.js';
import type { Manifest } from '../session/manifest.js';
import { registryRoot, renewLease } from '../session/registry.js';

const renewMilliseconds = 60 * 60 * 1000;

/** Renews the registry record of the agent while its gateway lives (decision 48). @returns the function that stops it. */
export function keepLease(manifest: Manifest, clock: Clock, report: (fault: string) => void): () => void {
  const { agent_id, registry_generation_id } = manifest;
  if (!agent_id || !registry_generation_id) return () => undefined;
  const renew = (): void => {
    try {
      renewLease(registryRoot(process.env), agent_id, registry_generation_id, clock.now());
    } catch (error) {
      report(`the registry lease was not renewed: ${(error as Error).message}`);
    }
  };
  renew();
  const timer = setInterval(renew, renewMilliseconds).unref();
  return () => clearInterval(timer);
}
