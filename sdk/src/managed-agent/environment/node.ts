import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { nodeEnvironment } from '../../core/node-environment.js';

/** Returns the token of the server on that port of this machine; null when it cannot be read. */
async function tokenOfServer(port: number): Promise<string | null> {
  const runtime = process.env.HOUMAO_GLOBAL_RUNTIME_DIR ?? join(homedir(), '.houmao', 'runtime');
  const servers = join(runtime, 'houmao_servers');
  for (const name of await readdir(servers).catch(() => [])) {
    if (!name.endsWith(`-${port}`)) continue;
    const token = await readFile(join(servers, name, 'access-token'), 'utf8').catch(() => '');
    if (token.trim()) return token.trim();
  }
  return null;
}

export const environment = nodeEnvironment('HOUMAO_SERVER_TOKEN', tokenOfServer);
