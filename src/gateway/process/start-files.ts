import { attachContractOf, attachFile, publishAttachContract } from '../../session/attach-contract.js';
import { desiredConfigFile } from '../../session/desired-config.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { SessionPaths } from '../../session/session-paths.js';
import type { GatewayIdentity } from '../status/derive-status.js';

/** `attach.json`, `gateway_manifest.json`, `protocol-version.txt`, rebuilt from the manifest. */
export function publishStartFiles(paths: SessionPaths, manifest: Manifest, identity: GatewayIdentity): void {
  const desired = desiredConfigFile.read(paths.desiredConfig);
  const former = attachFile.readIfUsable(paths.attach);
  const attach = attachContractOf(manifest, paths, {
    host: desired?.desired_host ?? former?.desired_host ?? null,
    port: desired?.desired_port ?? former?.desired_port ?? null,
  });
  publishAttachContract(paths, attach, { ...identity, pid: process.pid });
}
