import { foldersIn } from '../../../foundation/folders-in.js';
import type { AgentHost } from '../../../launch/agent-host.js';
import { type ServerPaths, serverPaths, serverRootsFolder } from '../../../server/directory/server-paths.js';
import { type ServerSight, seeServer } from './see-server.js';

/** A server that runs on this host. */
export interface SeenServer {
  readonly paths: ServerPaths;
  readonly sight: Exclude<ServerSight, { state: 'absent' }>;
}

/** The servers of this host, by their folders below the runtime root, also those that give no answer. */
export async function serversHere({ runtimeRoot }: Pick<AgentHost, 'runtimeRoot'>): Promise<SeenServer[]> {
  const folder = serverRootsFolder(runtimeRoot);
  const all = foldersIn(folder).map(serverPaths);
  const seen = await Promise.all(all.map(async (paths) => ({ paths, sight: await seeServer(paths) })));
  return seen.flatMap(({ paths, sight }) => (sight.state === 'absent' ? [] : [{ paths, sight }]));
}

/** The addresses of those that answer. */
export async function servingServers(host: Pick<AgentHost, 'runtimeRoot'>): Promise<string[]> {
  const seen = await serversHere(host);
  return seen.flatMap(({ sight }) => (sight.state === 'serving' ? [sight.instance.api_base_url] : []));
}
