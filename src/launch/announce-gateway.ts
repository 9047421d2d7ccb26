import { findAgentTmux } from '../agent/local/agent-tmux.js';
import { turnHostOf } from '../session/manifest-facts.js';
import type { Manifest } from '../session/manifest-schema.js';
import { noteGateway } from '../session/registry.js';
import type { RegistryRecord } from '../session/registry-record.js';
import type { AgentHost } from './agent-host.js';

/**
 * Tells the agent's tmux session and the registry where its gateway is; null when there is none any more.
 * @throws {UnusableFile} when the record in the registry cannot be used: the tmux session is told by then.
 */
export async function announceGateway(
  manifest: Manifest,
  host: AgentHost,
  gateway: NonNullable<RegistryRecord['gateway']> | null,
): Promise<void> {
  const { agent_id, registry_generation_id: generation } = manifest;
  if (turnHostOf(manifest) === 'tmux' && manifest.tmux_session_name)
    await publishInSession(manifest, host, gateway);
  if (agent_id && generation) noteGateway(host.registryRoot, agent_id, generation, gateway);
}

async function publishInSession(
  manifest: Manifest,
  { tmux }: AgentHost,
  gateway: NonNullable<RegistryRecord['gateway']> | null,
): Promise<void> {
  const variables = {
    HOUMAO_AGENT_GATEWAY_HOST: gateway?.host ?? null,
    HOUMAO_AGENT_GATEWAY_PORT: gateway ? String(gateway.port) : null,
    HOUMAO_GATEWAY_STATE_PATH: gateway?.state_path ?? null,
    HOUMAO_GATEWAY_PROTOCOL_VERSION: gateway?.protocol_version ?? null,
  };
  // A session that is gone has no environment to publish in.
  const its = await findAgentTmux(manifest, tmux).catch(() => null);
  await its?.setEnvironment(manifest.tmux_session_name ?? '', variables).catch(() => undefined);
}
