import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { managedAuthorityOf } from '../../agent/remote/peer-authority.js';
import { UnusableFile } from '../../foundation/faults.js';
import { readManifest } from '../../session/manifest.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { adapterForBackend } from '../../tools/tool-registry.js';

// A headless agent whose manifest names a server and no agent definition: its gateway lets the server run its turns. Both
// then have a record of each turn, under one id: the gateway for the prompt that it forwarded, in `queue.sqlite`, and the
// server for the turn that it ran, in a database beside it.

/** The programs that run a session's turns: the gateway and this server by turns (`shared`), or one server alone. */
export type TurnRunner = 'shared' | 'this_server' | 'another_server';

/** The origins by which a manifest may name one server. */
export type ServerOrigins = ReadonlySet<string>;

/**
 * @param apiBaseUrl the address of the server on its own machine.
 * @param names of the host, besides those of every host.
 */
export const serverOrigins = (apiBaseUrl: string, names: readonly string[]): ServerOrigins =>
  new Set([apiBaseUrl, ...names.map((name) => `http://${name}:${new URL(apiBaseUrl).port}`)].map(originOf));

/** @param own the origins of the server that asks. */
export function runnerOf(manifest: Manifest, own: ServerOrigins): TurnRunner {
  const authority = managedAuthorityOf(manifest);
  const forwards = authority && adapterForBackend(manifest.backend) && !manifest.runtime.agent_def_dir;
  if (!forwards) return 'shared';
  return own.has(originOf(authority.baseUrl)) ? 'this_server' : 'another_server';
}

/**
 * Decides whether this server alone runs the turns. A manifest that cannot be read now changes nothing: the records under
 * an id are found in the same place as before.
 * @param before the answer until now; null where there was none.
 */
export function runsAlone(paths: SessionPaths, own: ServerOrigins, before: boolean | null): boolean {
  try {
    return runnerOf(readManifest(paths.manifest), own) === 'this_server';
  } catch (error) {
    if (error instanceof UnusableFile) return before ?? existsSync(serverManagedPaths(paths).queue);
    throw error;
  }
}

/** Returns the paths of the server's own records of such a session. */
export const serverManagedPaths = (paths: SessionPaths): SessionPaths => ({
  ...paths,
  queue: join(paths.gateway, 'server-turns.sqlite'),
  events: join(paths.gateway, 'server-events.jsonl'),
  log: join(paths.gateway, 'logs', 'server-turns.log'),
  run: join(paths.run, 'server'),
});

function originOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, hostname, port } = new URL(url);
  return `${protocol}//${['localhost', '[::1]'].includes(hostname) ? '127.0.0.1' : hostname}:${port}`;
}
