import { unlessUnusable } from '../../foundation/unusable-file.js';
import type { AgentHost } from '../../launch/agent-host.js';
import type { StoppableAgent } from '../../launch/stop-agent.js';
import { readManifest } from '../../session/manifest.js';
import { readRecord } from '../../session/registry.js';
import type { RegistryRecord } from '../../session/registry-record.js';
import { sessionPaths } from '../../session/session-paths.js';
import type { ManagedAgent } from '../directory/managed-agent.js';

/** What there is of an agent to be ended, as directory, registry and manifest have it. */
export function toStoppable(
  agent: ManagedAgent,
  { registryRoot }: Pick<AgentHost, 'registryRoot'>,
): StoppableAgent {
  const record = ownRecord(agent, registryRoot);
  const registration = record
    ? { agentId: record.agent_id, generationId: record.generation_id }
    : registrationIn(agent.manifestPath);
  return {
    name: agent.agentName ?? agent.trackedAgentId,
    paths: agent.sessionRoot === null ? null : sessionPaths(agent.sessionRoot),
    tmuxSession: agent.tmuxSessionName,
    registration,
  };
}

/** The record is that of this agent, and not of one that has its id by now. */
function ownRecord(
  { agentId, manifestPath, tmuxSessionName }: ManagedAgent,
  registryRoot: string,
): RegistryRecord | null {
  if (agentId === null) return null;
  const record = unlessUnusable(() => readRecord(registryRoot, agentId));
  const same =
    record?.runtime.manifest_path === manifestPath && record?.terminal.session_name === tmuxSessionName;
  return same ? record : null;
}

function registrationIn(manifestPath: string | null): StoppableAgent['registration'] {
  const manifest = manifestPath === null ? null : unlessUnusable(() => readManifest(manifestPath));
  const { agent_id: agentId, registry_generation_id: generationId } = manifest ?? {};
  return agentId && generationId ? { agentId, generationId } : null;
}
