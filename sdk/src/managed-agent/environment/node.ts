import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../core/surface.js';

export const environment: Environment = {
  findToken,
  obeysProxyVariables: () => process.env.HOUMAO_GATEWAY_RESPECT_PROXY_ENV === '1',
};

/**
 * None on loopback, where the server knows its own user: a token that was set for another machine's server would be
 * refused. Elsewhere `HOUMAO_SERVER_TOKEN`, or the token file of the server of this machine that has that port, if it may
 * be read.
 */
async function findToken(baseUrl: string): Promise<string | null> {
  const { hostname, port, protocol } = new URL(baseUrl);
  if (isLoopback(hostname)) return null;
  const given = process.env.HOUMAO_SERVER_TOKEN;
  if (given) return given;
  const number = port || (protocol === 'https:' ? '443' : '80');
  const runtime = process.env.HOUMAO_GLOBAL_RUNTIME_DIR ?? join(homedir(), '.houmao', 'runtime');
  const servers = join(runtime, 'houmao_servers');
  for (const name of await readdir(servers).catch(() => [])) {
    if (!name.endsWith(`-${number}`)) continue;
    const token = await readFile(join(servers, name, 'access-token'), 'utf8').catch(() => '');
    if (token.trim()) return token.trim();
  }
  return null;
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
