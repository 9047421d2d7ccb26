import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { absoluteVariable, homeFolder } from '../foundation/environment-folders.js';
import { exclusively } from '../foundation/file-lock.js';
import { toJsonFile } from '../foundation/json-text.js';
import { UnusableFile } from '../foundation/unusable-file.js';
import { Closed, jsonFile, Nullable, OptionalText, Text } from './file-schema.js';

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
/** `live_agents/<agent_id>/record.json`: a hint where an agent of this host is found (docs/decisions.md#registry). */
export type RegistryRecord = Static<typeof RecordSchema>;
const file = jsonFile(RecordSchema, 'delete it, and launch the agent anew where it is to be found by name');

export const leaseMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Where the registry of this host is: `HOUMAO_GLOBAL_REGISTRY_DIR`, else `~/.houmao/registry`.
 * @throws {BadEnvironment} when the variable names a relative path.
 */
export const registryRoot = (environment: NodeJS.ProcessEnv): string =>
  absoluteVariable(environment, 'HOUMAO_GLOBAL_REGISTRY_DIR') ??
  join(homeFolder(environment), '.houmao', 'registry');

/** The folder of all records: each is `<agent_id>/<recordFileName>` in it. */
export const recordsFolder = (root: string): string => join(root, 'live_agents');
export const recordFileName = 'record.json';

const recordPath = (root: string, agentId: string): string =>
  join(recordsFolder(root), agentId, recordFileName);

/** For who follows the records. @throws {UnusableFile} */
export const parseRecord: (path: string, text: string) => RegistryRecord = file.parse;

export const readRecord = (root: string, agentId: string): RegistryRecord | null =>
  file.read(recordPath(root, agentId));

export const isFresh = (record: RegistryRecord, now: Date): boolean =>
  Date.parse(record.lease_expires_at) >= now.getTime();

/** A fresh record of another generation holds the name. */
export class AlreadyRegistered extends Error {
  override readonly name = 'AlreadyRegistered';
  readonly holder: RegistryRecord;

  constructor(holder: RegistryRecord) {
    super(
      `Agent ${holder.agent_name} is registered already (${holder.runtime.manifest_path}); stop it first.`,
    );
    this.holder = holder;
  }
}

/** Agents come and go in several processes: each looks at a record and changes it while no other one does. */
function alone<T>(root: string, agentId: string, work: () => T): T {
  const locks = join(root, 'locks');
  mkdirSync(locks, { recursive: true, mode: 0o700 });
  return exclusively(join(locks, agentId), work);
}

const writeRecord = (root: string, record: RegistryRecord): void =>
  writeFileAtomic(recordPath(root, record.agent_id), toJsonFile(record));

/** @throws {AlreadyRegistered} */
export function publishRecord(root: string, record: RegistryRecord, now: Date): void {
  alone(root, record.agent_id, () => {
    const holder = readRecord(root, record.agent_id);
    if (holder && holder.generation_id !== record.generation_id && isFresh(holder, now))
      throw new AlreadyRegistered(holder);
    writeRecord(root, record);
  });
}

/** Changes our own record; somebody else's is left alone. */
function changeOwn(
  root: string,
  agentId: string,
  generationId: string,
  change: (record: RegistryRecord) => RegistryRecord,
): void {
  alone(root, agentId, () => {
    const record = readRecord(root, agentId);
    if (record?.generation_id === generationId) writeRecord(root, change(record));
  });
}

/** Extends the lease of our own record. */
export function renewLease(root: string, agentId: string, generationId: string, now: Date): void {
  const lease_expires_at = new Date(now.getTime() + leaseMilliseconds).toISOString();
  const published_at = now.toISOString();
  changeOwn(root, agentId, generationId, (record) => ({ ...record, published_at, lease_expires_at }));
}

/** Notes where the gateway of our own record is, or that there is none: a hint that readers verify. */
export function noteGateway(
  root: string,
  agentId: string,
  generationId: string,
  gateway: RegistryRecord['gateway'],
): void {
  changeOwn(root, agentId, generationId, (record) => ({ ...record, gateway: gateway ?? null }));
}

/** Notes which mailbox the agent of our own record has: a hint, as everything in it. */
export function noteMailbox(
  root: string,
  agentId: string,
  generationId: string,
  mailbox: Record<string, unknown> | null,
): void {
  changeOwn(root, agentId, generationId, (record) => ({ ...record, mailbox }));
}

export function withdrawRecord(root: string, agentId: string, generationId: string): void {
  alone(root, agentId, () => {
    if (readRecord(root, agentId)?.generation_id !== generationId) return;
    rmSync(join(recordsFolder(root), agentId), { recursive: true, force: true });
  });
}

/** Every readable record; unreadable ones are handed to `onUnusable` and skipped. */
export function listRecords(root: string, onUnusable: (fault: UnusableFile) => void): RegistryRecord[] {
  const folder = recordsFolder(root);
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
