import { type Static, Type } from '@sinclair/typebox';
import { writeFileAtomic } from '../../foundation/atomic-file.js';
import { toJsonFile } from '../../foundation/json-text.js';
import { Closed, jsonFile, Text } from '../../session/file-schema.js';
import type { ServerPaths } from './server-paths.js';

/** The process that serves, as it publishes itself. */
export interface ServerInstance {
  readonly pid: number;
  /** An address that can be connected to from this machine, without a slash at the end. */
  readonly apiBaseUrl: string;
  /** ISO 8601 in UTC, whole seconds. */
  readonly startedAtUtc: string;
}

const RecordSchema = Closed({
  schema_version: Type.Literal(1),
  status: Type.Literal('ok'),
  pid: Type.Integer({ minimum: 1 }),
  api_base_url: Text,
  server_root: Text,
  started_at_utc: Text,
});
/** `run/current-instance.json`: the process that serves this root, or that served it last. */
export type ServerInstanceRecord = Static<typeof RecordSchema>;
export const serverInstanceFile = jsonFile(RecordSchema, 'delete it; the next server writes a new one');

export const toInstanceRecord = (paths: ServerPaths, instance: ServerInstance): ServerInstanceRecord => ({
  schema_version: 1,
  status: 'ok',
  pid: instance.pid,
  api_base_url: instance.apiBaseUrl,
  server_root: paths.root,
  started_at_utc: instance.startedAtUtc,
});

/** Writes the record and its pid file. Both stay after the end of the server. */
export function publishServerInstance(paths: ServerPaths, instance: ServerInstance): void {
  writeFileAtomic(paths.currentInstance, toJsonFile(toInstanceRecord(paths, instance)));
  writeFileAtomic(paths.pid, `${instance.pid}\n`);
}
