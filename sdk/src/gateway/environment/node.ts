import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { nodeEnvironment } from '../../core/node-environment.js';

/** The token file of the agent of this machine whose gateway has that port, if it may be read. */
async function tokenOfGateway(port: number): Promise<string | null> {
  for (const folder of await gatewayFolders()) {
    const live = parse(await read(join(folder, 'run', 'current-instance.json')));
    if (live?.port !== port) continue;
    const token = await read(join(folder, 'access-token'));
    if (token) return token.trim();
  }
  return null;
}

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

export const environment = nodeEnvironment('HOUMAO_GATEWAY_TOKEN', tokenOfGateway);
