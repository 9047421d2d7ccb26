import { existsSync, readFileSync } from 'node:fs';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { toJsonFile } from '../foundation/json-text.js';
import { defaultExecutionMode, desiredConfigFile } from './desired-config.js';
import type { Manifest } from './manifest.js';
import type { SessionPaths } from './session-paths.js';

/**
 * Writes `state.json` as it is while no gateway runs (gateway §3.1): before the first attach with epoch 0, after a
 * detach with the last known epoch, instance and depth. Host and port are left out (decision 2).
 */
export function writeOfflineState(paths: SessionPaths, manifest: Manifest, attachIdentity: string): void {
  const last = lastState(paths);
  writeFileAtomic(
    paths.state,
    toJsonFile({
      schema_version: 1,
      protocol_version: 'v1',
      attach_identity: attachIdentity,
      backend: manifest.backend,
      tmux_session_name: manifest.tmux_session_name ?? attachIdentity,
      gateway_health: 'not_attached',
      managed_agent_connectivity: 'unavailable',
      managed_agent_recovery: 'idle',
      request_admission: 'blocked_unavailable',
      terminal_surface_eligibility: 'unknown',
      active_execution: 'idle',
      execution_mode:
        desiredConfigFile.read(paths.desiredConfig)?.desired_execution_mode ??
        defaultExecutionMode(manifest.backend),
      queue_depth: last.queue_depth ?? 0,
      managed_agent_instance_epoch: last.managed_agent_instance_epoch ?? 0,
      managed_agent_instance_id: last.managed_agent_instance_id ?? null,
    }),
  );
}

interface LastState {
  queue_depth?: number;
  managed_agent_instance_epoch?: number;
  managed_agent_instance_id?: string | null;
}

/** A projection: one that cannot be read is simply written anew. */
function lastState(paths: SessionPaths): LastState {
  if (!existsSync(paths.state)) return {};
  try {
    return JSON.parse(readFileSync(paths.state, 'utf8')) as LastState;
  } catch {
    return {};
  }
}
