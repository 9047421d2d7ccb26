import { existsSync, readFileSync } from 'node:fs';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { toJsonFile } from '../foundation/json-text.js';
import type { ExecutionMode } from './current-instance.js';
import { defaultExecutionMode, desiredConfigFile } from './gateway-start-files.js';
import type { Manifest } from './manifest-schema.js';
import type { SessionPaths } from './session-paths.js';

/**
 * The status of a session that no gateway serves. It is a live gateway's status without host, port and window; a type test
 * compares the two.
 */
export interface OfflineState extends LastState {
  schema_version: 1;
  protocol_version: 'v1';
  attach_identity: string;
  backend: Manifest['backend'];
  tmux_session_name: string;
  gateway_health: 'not_attached';
  managed_agent_connectivity: 'unavailable';
  managed_agent_recovery: 'idle';
  request_admission: 'blocked_unavailable';
  terminal_surface_eligibility: 'unknown';
  active_execution: 'idle';
  execution_mode: ExecutionMode;
}

/** The fields that outlive the gateway that published them. */
interface LastState {
  queue_depth: number;
  managed_agent_instance_epoch: number;
  managed_agent_instance_id: string | null;
}

/**
 * Returns the status while no gateway runs: before the first attach with epoch 0, after it with the last known epoch, instance
 * and depth. @throws {UnusableFile} for a damaged desired-config.json.
 */
export function offlineState(paths: SessionPaths, manifest: Manifest, attachIdentity: string): OfflineState {
  return {
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
    ...lastState(paths),
  };
}

/** Writes the offline status to `state.json`. @throws as {@link offlineState} does. */
export function writeOfflineState(paths: SessionPaths, manifest: Manifest, attachIdentity: string): void {
  writeFileAtomic(paths.state, toJsonFile(offlineState(paths, manifest, attachIdentity)));
}

/** Reads the state file of the last gateway. It is only published: an unreadable one counts as none and is written again. */
function lastState(paths: SessionPaths): LastState {
  const never = { queue_depth: 0, managed_agent_instance_epoch: 0, managed_agent_instance_id: null };
  if (!existsSync(paths.state)) return never;
  try {
    const last = JSON.parse(readFileSync(paths.state, 'utf8')) as Partial<LastState>;
    return {
      queue_depth: last.queue_depth ?? 0,
      managed_agent_instance_epoch: last.managed_agent_instance_epoch ?? 0,
      managed_agent_instance_id: last.managed_agent_instance_id ?? null,
    };
  } catch {
    return never;
  }
}
