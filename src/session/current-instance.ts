import { rmSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { toJsonFile } from '../foundation/json-text.js';
import { Choice, Closed, jsonFile, Nullable, Text } from './file-schema.js';
import type { SessionPaths } from './session-paths.js';

/** The ways to run a gateway: as a process of its own, or in a window of the agent's tmux session. */
export const executionModes = ['detached_process', 'tmux_auxiliary_window'] as const;
export type ExecutionMode = (typeof executionModes)[number];

/** The addresses a gateway may listen on: this machine only, or every network. */
export const listenHosts = ['127.0.0.1', '0.0.0.0'] as const;
export type ListenHost = (typeof listenHosts)[number];

/** The tmux window of a gateway; all fields are null for a gateway without one. */
export interface WindowPlace {
  tmuxWindowId: string | null;
  tmuxWindowIndex: string | null;
  tmuxPaneId: string | null;
}

/** The address and the window of a running gateway. The files of a session use field names of their own for this. */
export interface GatewayPlace extends WindowPlace {
  host: ListenHost;
  port: number;
  executionMode: ExecutionMode;
}

/** `run/current-instance.json`: the gateway process that serves this session now (docs/decisions.md#status-files). */
const CurrentInstanceSchema = Closed({
  schema_version: Type.Literal(1),
  protocol_version: Type.Literal('v1'),
  pid: Type.Integer({ minimum: 1 }),
  host: Choice(...listenHosts),
  port: Type.Integer({ minimum: 1, maximum: 65535 }),
  execution_mode: Choice(...executionModes),
  tmux_window_id: Type.Optional(Nullable(Text)),
  tmux_window_index: Type.Optional(Nullable(Text)),
  tmux_pane_id: Type.Optional(Nullable(Text)),
  managed_agent_instance_epoch: Type.Integer({ minimum: 1 }),
  managed_agent_instance_id: Nullable(Text),
});
export type CurrentInstance = Static<typeof CurrentInstanceSchema>;

export const currentInstanceFile = jsonFile(
  CurrentInstanceSchema,
  'delete it; the next gateway writes a new one',
);

/**
 * Writes the record and its pid file. For a gateway without a tmux window the tmux fields are left out
 * (docs/decisions.md#closed-objects).
 */
export function publishCurrentInstance(paths: SessionPaths, instance: CurrentInstance): void {
  writeFileAtomic(paths.currentInstance, toJsonFile(instance));
  writeFileAtomic(paths.pid, `${instance.pid}\n`);
}

/** Removes the record and its pid file. Only a clean stop, or a detach that found the process dead, does this. */
export function withdrawCurrentInstance(paths: SessionPaths): void {
  rmSync(paths.currentInstance, { force: true });
  rmSync(paths.pid, { force: true });
}
