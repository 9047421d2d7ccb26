import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { type Clock, ClockJump } from '../foundation/clock.js';
import { absoluteVariable, homeFolder } from '../foundation/environment.js';
import { UnusableFile } from '../foundation/faults.js';
import { exclusively } from '../foundation/file-lock.js';
import { toJsonFile } from '../foundation/json-text.js';
import { makeFolder } from '../foundation/make-folder.js';
import { type RegistryRecord, recordFile, writtenBack } from './registry-record.js';

export const leaseMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Returns the registry folder of this host: `HOUMAO_GLOBAL_REGISTRY_DIR`, or else `~/.houmao/registry`.
 * @throws {BadEnvironment} when the variable names a relative path.
 */
export const registryRoot = (environment: NodeJS.ProcessEnv): string =>
  absoluteVariable(environment, 'HOUMAO_GLOBAL_REGISTRY_DIR') ??
  join(homeFolder(environment), '.houmao', 'registry');

/** Returns the folder of all records; each is the file `<agent_id>/<recordFileName>` in it. */
export const recordsFolder = (root: string): string => join(root, 'live_agents');
export const recordFileName = 'record.json';

const recordPath = (root: string, agentId: string): string =>
  join(recordsFolder(root), agentId, recordFileName);

/**
 * Reads the record of an agent; null when it is not registered, and when its record says that it was stopped. @throws
 * {UnusableFile} when the record is damaged.
 */
export const readRecord = (root: string, agentId: string): RegistryRecord | null =>
  recordFile.read(recordPath(root, agentId));

export const isFresh = (record: RegistryRecord, now: Date): boolean =>
  Date.parse(record.lease_expires_at) >= now.getTime();

/** Thrown when a fresh record of another generation holds the name. */
export class AlreadyRegistered extends Error {
  override readonly name = 'AlreadyRegistered';
  readonly holder: RegistryRecord;

  constructor(holder: RegistryRecord) {
    super(
      `Agent ${holder.agent_name} is already registered (${holder.runtime.manifest_path}); stop it first.`,
    );
    this.holder = holder;
  }
}

/**
 * Runs `work` under the lock of one record: several processes check records and change them, and only one may do so at a time.
 */
function alone<T>(root: string, agentId: string, work: () => T): T {
  const locks = join(root, 'locks');
  makeFolder(locks, 0o700);
  return exclusively(join(locks, agentId), work);
}

const writeRecord = (root: string, record: RegistryRecord): void =>
  writeFileAtomic(recordPath(root, record.agent_id), toJsonFile(record));

/** Publishes a record. @throws {AlreadyRegistered} when a fresh record of another generation holds the name. */
export function publishRecord(root: string, record: RegistryRecord, now: Date): void {
  alone(root, record.agent_id, () => {
    const holder = readRecord(root, record.agent_id);
    if (holder && holder.generation_id !== record.generation_id && isFresh(holder, now))
      throw new AlreadyRegistered(holder);
    writeRecord(root, record);
  });
}

/** Changes the agent's record if it is of this generation; the record of another generation is left alone. */
function changeOwn(
  root: string,
  agentId: string,
  generationId: string,
  change: (record: RegistryRecord) => RegistryRecord,
): void {
  alone(root, agentId, () => {
    const path = recordPath(root, agentId);
    const record = readRecord(root, agentId);
    if (record?.generation_id !== generationId) return;
    writeFileAtomic(path, toJsonFile(writtenBack(path, change(record))));
  });
}

/** Extends the lease of our own record; a longer lease that another program gave stays. */
export function renewLease(root: string, agentId: string, generationId: string, now: Date): void {
  const renewed = new Date(now.getTime() + leaseMilliseconds);
  const published_at = now.toISOString();
  changeOwn(root, agentId, generationId, (record) => ({
    ...record,
    published_at,
    lease_expires_at:
      isLonger(record) && isFresh(record, renewed) ? record.lease_expires_at : renewed.toISOString(),
  }));
}

/**
 * Returns whether the lease is longer than ours, so that another program gave it. Its end alone proves nothing: after the clock
 * was set back, a lease of ours ends later than a new one.
 */
const isLonger = ({ published_at, lease_expires_at }: RegistryRecord): boolean =>
  Date.parse(lease_expires_at) - Date.parse(published_at) > leaseMilliseconds;

/** Records the address of the gateway in our own record, or that there is none: a hint that readers verify. */
export function noteGateway(
  root: string,
  agentId: string,
  generationId: string,
  gateway: RegistryRecord['gateway'],
): void {
  changeOwn(root, agentId, generationId, (record) => ({ ...record, gateway: gateway ?? null }));
}

/** Records the mailbox of the agent in our own record: a hint, as everything in it. */
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

/**
 * Reads every readable record; unreadable ones are passed to `onUnusable` and skipped.
 * @throws {UnusableFile} when the folder of records exists but cannot be read: then it is unknown which agents are registered.
 */
export function listRecords(root: string, onUnusable: (fault: UnusableFile) => void): RegistryRecord[] {
  return registeredIds(recordsFolder(root)).flatMap((agentId) => {
    try {
      return readRecord(root, agentId) ?? [];
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      onUnusable(error);
      return [];
    }
  });
}

function registeredIds(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    const remedy = 'set HOUMAO_GLOBAL_REGISTRY_DIR to a folder that you can read, or unset it';
    throw new UnusableFile(folder, `the registry of agents cannot be read (${code})`, remedy);
  }
}

/** Leases are renewed each hour but last a day, so that a program may be suspended for long. */
const renewMilliseconds = 60 * 60 * 1000;
const lookMilliseconds = 60 * 1000;

/**
 * Renews leases now, every hour, and when the clock was set, because a lease ends at a time of day.
 * @param renew never fails.
 * @returns the function that stops it.
 */
export function renewHourly(renew: () => void | Promise<void>, clock: Clock): () => void {
  const stopping = new AbortController();
  const keep = async (): Promise<void> => {
    const set = new ClockJump(clock);
    for (let due = clock.monotonic(); !stopping.signal.aborted; ) {
      if (set.check() !== 0 || clock.monotonic() >= due) {
        const renewing = renew();
        if (renewing) await renewing;
        due = clock.monotonic() + renewMilliseconds;
      }
      await clock.sleep(lookMilliseconds, stopping.signal);
    }
  };
  void keep();
  return () => stopping.abort();
}
