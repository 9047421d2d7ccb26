import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentHost } from '../../../launch/agent-host.js';
import { serverPaths, serverRootsFolder } from '../../../server/directory/server-paths.js';
import { seeServer } from './see-server.js';

/** The addresses of the servers of this host that answer, by their folders below the runtime root. */
export async function servingServers({ runtimeRoot }: Pick<AgentHost, 'runtimeRoot'>): Promise<string[]> {
  const folder = serverRootsFolder(runtimeRoot);
  if (!existsSync(folder)) return [];
  const sights = await Promise.all(
    readdirSync(folder)
      .sort()
      .map((name) => seeServer(serverPaths(join(folder, name)))),
  );
  return sights.flatMap((sight) => (sight.state === 'serving' ? [sight.instance.api_base_url] : []));
}
