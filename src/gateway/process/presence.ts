import type { Clock } from '../../foundation/clock.js';
import {
  attachContractOf,
  attachFile,
  desiredConfigFile,
  publishAttachContract,
} from '../../session/gateway-start-files.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { renewHourly, renewLease } from '../../session/registry.js';
import type { SessionPaths } from '../../session/session-paths.js';
import type { GatewayIdentity } from '../status/status-board.js';

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

/** Writes `attach.json`, `gateway_manifest.json`, `protocol-version.txt`, rebuilt from the manifest. */
export function publishStartFiles(paths: SessionPaths, manifest: Manifest, identity: GatewayIdentity): void {
  const desired = desiredConfigFile.read(paths.desiredConfig);
  const former = attachFile.readIfUsable(paths.attach);
  const attach = attachContractOf(manifest, paths, {
    host: desired?.desired_host ?? former?.desired_host ?? null,
    port: desired?.desired_port ?? former?.desired_port ?? null,
  });
  publishAttachContract(paths, attach, { ...identity, pid: process.pid });
}
