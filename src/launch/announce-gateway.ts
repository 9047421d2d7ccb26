import { turnHostOf } from '../session/manifest-facts.js';
import type { Manifest } from '../session/manifest-schema.js';
import { noteGateway, type RegistryRecord } from '../session/registry.js';
import type { AgentHost } from './agent-host.js';

/** Tells the registry and the agent's tmux session where its gateway is; null when there is none any more. */
export async function announceGateway(
  manifest: Manifest,
  host: AgentHost,
  gateway: NonNullable<RegistryRecord['gateway']> | null,
): Promise<void> {
  const { agent_id, registry_generation_id: generation } = manifest;
  if (agent_id && generation) noteGateway(host.registryRoot, agent_id, generation, gateway);
  if (turnHostOf(manifest) !== 'tmux' || !manifest.tmux_session_name) return;
  const variables = {
    HOUMAO_AGENT_GATEWAY_HOST: gateway?.host ?? null,
    HOUMAO_AGENT_GATEWAY_PORT: gateway ? String(gateway.port) : null,
    HOUMAO_GATEWAY_STATE_PATH: gateway?.state_path ?? null,
    HOUMAO_GATEWAY_PROTOCOL_VERSION: gateway?.protocol_version ?? null,
  };
  // A session that is gone has no environment to publish in.
  await host.tmux.setEnvironment(manifest.tmux_session_name, variables).catch(() => undefined);
}
