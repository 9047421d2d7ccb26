import { existsSync, readFileSync } from 'node:fs';
import { createHoumaoClient, type HoumaoClient, isHoumaoError } from '@houmao/sdk/managed-agent';
import { foldersIn } from '../../../foundation/folders.js';
import { identify, type ProcessIdentity } from '../../../foundation/processes.js';
import type { AgentHost } from '../../../launch/agent-host.js';
import { type ServerInstanceRecord, serverInstanceFile } from '../../../server/directory/server-instance.js';
import { type ServerPaths, serverPaths, serverRootsFolder } from '../../../server/directory/server-paths.js';
import type { ServerFlag } from '../../flags/options.js';
import { CommandFailure, exitCodes } from '../../words/command-failure.js';

/** The result of a search for the server of a root. */
export type ServerSight =
  /** No server has published itself, or its process has ended. */
  | { state: 'absent' }
  | { state: 'serving'; instance: ServerInstanceRecord; process: ProcessIdentity }
  /** A server has published itself and its process lives, but this caller gets no usable answer. */
  | { state: 'silent'; instance: ServerInstanceRecord; process: ProcessIdentity; detail: string };

const answerMilliseconds = 2000;

/** Decides whether a pid is that of a server, since another program may have it by now. Without /proc every pid counts as one. */
function isServer(pid: number): boolean {
  if (!existsSync('/proc/self/cmdline')) return true;
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return words.some((word) => /(^|\/)houmao-server(\.js)?$/.test(word));
  } catch {
    return false;
  }
}

/** Looks for the server of a root: a published address counts only if the server answers there. */
export async function seeServer(paths: ServerPaths): Promise<ServerSight> {
  const instance = serverInstanceFile.readIfUsable(paths.currentInstance);
  const process = instance && isServer(instance.pid) ? identify(instance.pid) : null;
  if (!instance || !process) return { state: 'absent' };
  try {
    const client = createHoumaoClient({
      baseUrl: instance.api_base_url,
      timeoutMs: answerMilliseconds,
      maxRetries: 0,
    });
    const { pid, server_root } = await client.getCurrentInstance();
    if (pid === instance.pid && server_root === paths.root) return { state: 'serving', instance, process };
    // By now another server has this port, and another program this pid.
    return { state: 'absent' };
  } catch (error) {
    if (!isHoumaoError(error)) throw error;
    return { state: 'silent', instance, process, detail: error.message };
  }
}

/** A server that runs on this host. */
export interface SeenServer {
  readonly paths: ServerPaths;
  readonly sight: Exclude<ServerSight, { state: 'absent' }>;
}

/** Returns the servers of this host, by their folders below the runtime root, including those that give no answer. */
export async function serversHere({ runtimeRoot }: Pick<AgentHost, 'runtimeRoot'>): Promise<SeenServer[]> {
  const folder = serverRootsFolder(runtimeRoot);
  const all = foldersIn(folder).map(serverPaths);
  const seen = await Promise.all(all.map(async (paths) => ({ paths, sight: await seeServer(paths) })));
  return seen.flatMap(({ paths, sight }) => (sight.state === 'absent' ? [] : [{ paths, sight }]));
}

/** Returns the addresses of the servers that answer. */
export async function servingServers(host: Pick<AgentHost, 'runtimeRoot'>): Promise<string[]> {
  const seen = await serversHere(host);
  return seen.flatMap(({ sight }) => (sight.state === 'serving' ? [sight.instance.api_base_url] : []));
}

/** Returns a client of a server that the flags name, or that was found here. */
export const clientAt = (url: string, { serverToken }: ServerFlag): HoumaoClient =>
  createHoumaoClient({ baseUrl: url, ...(serverToken !== undefined && { token: serverToken }) });

/**
 * Returns a client of the server that the flags name, or of the one that serves here.
 *
 * @param none the sentence for a host where none serves
 * @throws {CommandFailure}
 */
export async function serverClient(
  flags: ServerFlag,
  host: Pick<AgentHost, 'runtimeRoot'>,
  none: string,
): Promise<HoumaoClient> {
  const url = flags.server ?? (await servingServers(host))[0];
  if (url !== undefined) return clientAt(url, flags);
  throw new CommandFailure(none, exitCodes.unreachable, {
    errorCode: 'no_server',
    remedies: [['start one', 'houmao-mgr server start']],
  });
}
