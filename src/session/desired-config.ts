import { type Static, Type } from '@sinclair/typebox';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { toJsonFile } from '../foundation/json-text.js';
import { Choice, Closed, jsonFile, Nullable } from './file-schema.js';
import { type ExecutionMode, executionModes, listenHosts } from './gateway-place.js';

const Seconds = Type.Number({ exclusiveMinimum: 0 });

/** `desired-config.json`: what later starts use again. The attacher writes it, the gateway reads it. */
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
/** Where nothing else is wished for. */
export const defaultExecutionMode = (backend: string): ExecutionMode =>
  backend === 'houmao_server_rest' ? 'tmux_auxiliary_window' : 'detached_process';

export type DesiredConfig = Static<typeof DesiredConfigSchema>;
export const desiredConfigFile = jsonFile(
  DesiredConfigSchema,
  'correct it, or move it aside to use the defaults',
);

/**
 * Changes what is wished for; the rest stays as it was, or at its default.
 * @throws {UnusableFile} when the file is there and cannot be read: it is then left alone.
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
