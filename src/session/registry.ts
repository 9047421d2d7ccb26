import { existsSync, readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { toJsonFile } from '../foundation/json-text.js';
import { Closed, jsonFile, Nullable, OptionalText, Text, UnusableFile } from './file-schema.js';

const RecordSchema = Closed({
  schema_version: Type.Literal(2),
  agent_name: Text,
  agent_id: Text,
  generation_id: Text,
  published_at: Text,
  lease_expires_at: Text,
  identity: Closed({ backend: Text, tool: Text }),
  runtime: Closed({ manifest_path: Text, session_root: OptionalText, agent_def_dir: OptionalText }),
  terminal: Closed({ kind: Type.Literal('tmux'), session_name: Text }),
  gateway: Type.Optional(
    Nullable(
      Closed({
        host: Text,
        port: Type.Integer({ minimum: 1, maximum: 65535 }),
        state_path: Text,
        protocol_version: Text,
      }),
    ),
  ),
  mailbox: Type.Optional(Nullable(Type.Object({}, { additionalProperties: true }))),
});
/** `live_agents/<agent_id>/record.json`: a hint where an agent of this host is found (managed-agent §7.2). */
export type RegistryRecord = Static<typeof RecordSchema>;
const file = jsonFile(RecordSchema, 'delete it, and launch the agent anew where it is to be found by name');

export const leaseMilliseconds = 24 * 60 * 60 * 1000;

/** @throws Error when the variable names a relative path. */
export function registryRoot(environment: NodeJS.ProcessEnv): string {
  const given = environment.HOUMAO_GLOBAL_REGISTRY_DIR;
  if (given === undefined) return join(homedir(), '.houmao', 'registry');
  if (!isAbsolute(given))
    throw new Error(`HOUMAO_GLOBAL_REGISTRY_DIR must be an absolute path, got ${given}`);
  return given;
}

const recordPath = (root: string, agentId: string): string =>
  join(root, 'live_agents', agentId, 'record.json');

export const readRecord = (root: string, agentId: string): RegistryRecord | null =>
  file.read(recordPath(root, agentId));

export const isFresh = (record: RegistryRecord, now: Date): boolean =>
  Date.parse(record.lease_expires_at) >= now.getTime();

/** @throws Error when a fresh record of another generation holds the name. */
export function publishRecord(root: string, record: RegistryRecord, now: Date): void {
  const holder = readRecord(root, record.agent_id);
  if (holder && holder.generation_id !== record.generation_id && isFresh(holder, now)) {
    throw new Error(
      `Agent ${record.agent_name} is registered already (${holder.runtime.manifest_path}); stop it first.`,
    );
  }
  writeFileAtomic(recordPath(root, record.agent_id), toJsonFile(record));
}

/** Extends the lease of our own record; somebody else's is left alone. */
export function renewLease(root: string, agentId: string, generationId: string, now: Date): void {
  const record = readRecord(root, agentId);
  if (record?.generation_id !== generationId) return;
  const lease = new Date(now.getTime() + leaseMilliseconds).toISOString();
  publishRecord(root, { ...record, published_at: now.toISOString(), lease_expires_at: lease }, now);
}

/** Notes where the gateway of our own record is, or that there is none: a hint that readers verify. */
export function noteGateway(
  root: string,
  agentId: string,
  generationId: string,
  gateway: RegistryRecord['gateway'],
): void {
  const record = readRecord(root, agentId);
  if (record?.generation_id !== generationId) return;
  writeFileAtomic(recordPath(root, agentId), toJsonFile({ ...record, gateway: gateway ?? null }));
}

export function withdrawRecord(root: string, agentId: string, generationId: string): void {
  if (readRecord(root, agentId)?.generation_id !== generationId) return;
  rmSync(join(root, 'live_agents', agentId), { recursive: true, force: true });
}

/** Every readable record; unreadable ones are handed to `onUnusable` and skipped. */
export function listRecords(root: string, onUnusable: (fault: UnusableFile) => void): RegistryRecord[] {
  const folder = join(root, 'live_agents');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((agentId) => {
    try {
      return readRecord(root, agentId) ?? [];
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      onUnusable(error);
      return [];
    }
  });
}
