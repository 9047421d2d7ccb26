import { type Static, Type } from '@sinclair/typebox';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { toJsonFile } from '../foundation/json-text.js';
import {
  type ExecutionMode,
  executionModes,
  type GatewayPlace,
  type ListenHost,
  listenHosts,
} from './current-instance.js';
import { Choice, Closed, jsonFile, Nullable, Text } from './file-schema.js';
import { attachIdentityOf } from './manifest-facts.js';
import type { Manifest } from './manifest-schema.js';
import type { SessionPaths } from './session-paths.js';

const Seconds = Type.Number({ exclusiveMinimum: 0 });

/** `desired-config.json`: the settings that later starts use again. The attacher writes it, the gateway reads it. */
const DesiredConfigSchema = Closed({
  schema_version: Type.Literal(1),
  desired_host: Type.Optional(Nullable(Choice(...listenHosts))),
  desired_port: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 65535 }))),
  desired_execution_mode: Type.Optional(Choice(...executionModes)),
  desired_tui_tracking_timings: Type.Optional(
    Nullable(
      Closed({
        watch_poll_interval_seconds: Seconds,
        stability_threshold_seconds: Seconds,
        completion_stability_seconds: Seconds,
        unknown_to_stalled_timeout_seconds: Seconds,
        stale_active_recovery_seconds: Seconds,
        final_stable_active_recovery_seconds: Seconds,
      }),
    ),
  ),
  desired_diagnostic_logging: Type.Optional(
    Nullable(
      Closed({
        enabled: Type.Optional(Type.Boolean()),
        max_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1073741824 })),
        backup_count: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
      }),
    ),
  ),
});
/** Returns the execution mode of a backend when no other was requested. */
export const defaultExecutionMode = (backend: string): ExecutionMode =>
  backend === 'houmao_server_rest' ? 'tmux_auxiliary_window' : 'detached_process';

export type DesiredConfig = Static<typeof DesiredConfigSchema>;
export const desiredConfigFile = jsonFile(
  DesiredConfigSchema,
  'correct it, or move it aside to use the defaults',
);

/**
 * Changes the requested settings; the others stay as they were, or at their defaults.
 * @throws {UnusableFile} when the file exists and cannot be read: it is then left unchanged.
 */
export function changeDesiredConfig(path: string, change: Partial<DesiredConfig>): void {
  const before = desiredConfigFile.read(path);
  writeFileAtomic(
    path,
    toJsonFile({
      schema_version: 1,
      desired_host: null,
      desired_port: null,
      desired_execution_mode: 'detached_process',
      desired_tui_tracking_timings: null,
      desired_diagnostic_logging: null,
      ...before,
      ...change,
    }),
  );
}

const MaybeText = Type.Optional(Nullable(Text));

const attachFields = {
  schema_version: Type.Literal(1),
  attach_identity: Text,
  backend: Text,
  tmux_session_name: Text,
  working_directory: MaybeText,
  backend_metadata: Type.Object({}, { additionalProperties: true }),
  manifest_path: MaybeText,
  agent_def_dir: MaybeText,
  runtime_session_id: MaybeText,
  desired_host: Type.Optional(Nullable(Choice(...listenHosts))),
  desired_port: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 65535 }))),
};
const AttachSchema = Closed(attachFields);
/** `attach.json`: internal, rebuilt from the manifest at every start (docs/decisions.md#published-files). */
export type AttachContract = Static<typeof AttachSchema>;
export const attachFile = jsonFile(AttachSchema, 'delete it; the next gateway writes a new one');

interface DesiredListener {
  host: ListenHost | null;
  port: number | null;
}

export function attachContractOf(
  manifest: Manifest,
  paths: SessionPaths,
  desired: DesiredListener,
): AttachContract {
  return {
    schema_version: 1,
    attach_identity: attachIdentityOf(manifest, paths.root.split('/').at(-1) ?? paths.root),
    backend: manifest.backend,
    tmux_session_name: manifest.tmux_session_name ?? manifest.tmux?.session_name ?? 'none',
    working_directory: manifest.working_directory,
    backend_metadata: backendMetadataOf(manifest),
    manifest_path: paths.manifest,
    agent_def_dir: manifest.runtime.agent_def_dir ?? null,
    runtime_session_id: manifest.runtime.session_id ?? null,
    desired_host: desired.host,
    desired_port: desired.port,
  };
}

/** Returns the fields that only this family of backends needs. */
function backendMetadataOf(manifest: Manifest): Record<string, unknown> {
  const control = manifest.gateway_authority?.control;
  const from = (section: Record<string, unknown> | null | undefined, names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => [name, control?.[name as keyof typeof control] ?? section?.[name] ?? null]),
    );
  if (manifest.backend === 'cao_rest') {
    return from(manifest.cao, [
      'api_base_url',
      'terminal_id',
      'profile_name',
      'profile_path',
      'parsing_mode',
      'tmux_window_name',
    ]);
  }
  if (manifest.backend === 'houmao_server_rest') {
    return from(manifest.houmao_server, [
      'api_base_url',
      'session_name',
      'terminal_id',
      'parsing_mode',
      'tmux_window_name',
    ]);
  }
  const managed = Boolean(control?.api_base_url && control.managed_agent_ref);
  return {
    session_id: manifest.runtime.session_id ?? null,
    tool: manifest.tool,
    managed_api_base_url: managed ? control?.api_base_url : null,
    managed_agent_ref: managed ? control?.managed_agent_ref : null,
  };
}

/**
 * Writes `attach.json`, `gateway_manifest.json` and `protocol-version.txt`.
 * @param live the running gateway; null when none runs.
 */
export function publishAttachContract(
  paths: SessionPaths,
  attach: AttachContract,
  live: (GatewayPlace & { pid: number }) | null,
): void {
  writeFileAtomic(paths.attach, toJsonFile(attach));
  writeFileAtomic(
    paths.gatewayManifest,
    toJsonFile({
      ...attach,
      gateway_pid: live?.pid ?? null,
      gateway_host: live?.host ?? null,
      gateway_port: live?.port ?? null,
      gateway_protocol_version: live ? 'v1' : null,
      gateway_execution_mode: live?.executionMode ?? null,
      gateway_tmux_window_id: live?.tmuxWindowId ?? null,
      gateway_tmux_window_index: live?.tmuxWindowIndex ?? null,
      gateway_tmux_pane_id: live?.tmuxPaneId ?? null,
    }),
  );
  writeFileAtomic(paths.protocolVersion, 'v1\n');
}
