import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Environment } from '../../core/surface.js';

export const environment: Environment = {
  findToken,
  obeysProxyVariables: () => process.env.HOUMAO_GATEWAY_RESPECT_PROXY_ENV === '1',
};

/**
 * None on loopback, where the gateway knows its own user: a token that was set for another machine's gateway would be
 * refused. Elsewhere `HOUMAO_GATEWAY_TOKEN`, or the token file of the agent of this machine whose gateway has that port,
 * if it may be read.
 */
async function findToken(baseUrl: string): Promise<string | null> {
  const { hostname, port, protocol } = new URL(baseUrl);
  if (isLoopback(hostname)) return null;
  const given = process.env.HOUMAO_GATEWAY_TOKEN;
  if (given) return given;
  const number = Number(port || (protocol === 'https:' ? 443 : 80));
  for (const folder of await gatewayFolders()) {
    const live = parse(await read(join(folder, 'run', 'current-instance.json')));
    if (live?.port !== number) continue;
    const token = await read(join(folder, 'access-token'));
    if (token) return token.trim();
  }
  return null;
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');

/** The gateway folder of every agent in the shared registry of this machine; records that cannot be read name none. */
async function gatewayFolders(): Promise<string[]> {
  const root = process.env.HOUMAO_GLOBAL_REGISTRY_DIR ?? join(homedir(), '.houmao', 'registry');
  const agents = join(root, 'live_agents');
  const ids = await readdir(agents).catch(() => []);
  const records = await Promise.all(ids.map((id) => read(join(agents, id, 'record.json'))));
  return records.flatMap((text) => {
    const manifest = (parse(text)?.runtime as { manifest_path?: unknown } | undefined)?.manifest_path;
    return typeof manifest === 'string' ? [join(dirname(manifest), 'gateway')] : [];
  });
}

const read = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null);

function parse(text: string | null): Record<string, unknown> | null {
  try {
    return JSON.parse(text ?? 'null') as Record<string, unknown> | null;
  } catch {
    return null;
  }
}
