import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { writeFileAtomic } from '../../foundation/atomic-file.js';
import { toJsonFile } from '../../foundation/json-text.js';
import { makeFolder } from '../../foundation/make-folder.js';
import { Choice, Closed, jsonFile, Nullable, Text } from '../../session/file-schema.js';
import { authoritySchema } from '../directory/agent-records.js';

const LaunchRecordSchema = Closed({
  schema_version: Type.Literal(1),
  tracked_agent_id: Text,
  session_root: Text,
  begun_at_utc: Text,
  /** Null for a launch without a key. */
  key_digest: Nullable(Text),
  body_digest: Nullable(Text),
  state: Choice('begun', 'done'),
  /** The agent that was launched, once the launch is done. */
  authority: Nullable(authoritySchema),
});
/**
 * `state/launches/<tracked_agent_id>.json`: a launch that is under way, or whose answer is kept for its key.
 *
 *   nothing ──a launch begins──▶ begun ──its authority record stands──▶ done (with a key) or nothing (without)
 *   begun ──it fails, or a start finds that it was cut off and takes it back──▶ nothing
 *   begun ──a start finds its authority record──▶ as if it had been done
 */
export type LaunchRecord = Static<typeof LaunchRecordSchema>;

const file = jsonFile(
  LaunchRecordSchema,
  'delete it: an interrupted launch may then leave its session behind',
);

/** The time for which the answer to a key is kept. */
const keptMilliseconds = 7 * 24 * 60 * 60 * 1000;

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The launch records of a server, in files and by key. */
export class LaunchRecords {
  readonly #folder: string;
  readonly #byKey = new Map<string, LaunchRecord>();

  /** @param folder created where it does not exist. */
  constructor(folder: string) {
    this.#folder = folder;
    makeFolder(folder, 0o700);
  }

  /**
   * Reads the records that an earlier process left.
   * @returns the launches that it did not finish.
   */
  load(now: Date, onUnusable: (message: string) => void): LaunchRecord[] {
    const begun: LaunchRecord[] = [];
    for (const name of readdirSync(this.#folder).filter((one) => one.endsWith('.json'))) {
      const record = this.#read(join(this.#folder, name), onUnusable);
      if (record === null) continue;
      if (record.state === 'begun') begun.push(record);
      else if (now.getTime() - Date.parse(record.begun_at_utc) > keptMilliseconds) this.remove(record);
      else if (record.key_digest) this.#byKey.set(record.key_digest, record);
    }
    return begun;
  }

  byKey(keyDigest: string): LaunchRecord | null {
    return this.#byKey.get(keyDigest) ?? null;
  }

  /** @throws the file system's error. */
  write(record: LaunchRecord): void {
    writeFileAtomic(this.#pathOf(record), toJsonFile(record), { durable: true });
    if (record.key_digest && record.state === 'done') this.#byKey.set(record.key_digest, record);
  }

  remove(record: LaunchRecord): void {
    rmSync(this.#pathOf(record), { force: true });
    if (record.key_digest) this.#byKey.delete(record.key_digest);
  }

  #pathOf({ tracked_agent_id }: LaunchRecord): string {
    return join(this.#folder, `${tracked_agent_id}.json`);
  }

  #read(path: string, onUnusable: (message: string) => void): LaunchRecord | null {
    try {
      return existsSync(path) ? file.read(path) : null;
    } catch (error) {
      onUnusable((error as Error).message);
      return null;
    }
  }
}
