import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** The part of a record of the shared registry that clients need. */
export interface PublishedAgent {
  readonly agentName: string;
  readonly agentId: string;
  readonly sessionRoot: string;
  /** The agent's tmux session, which its gateway reports, too; null when the record has none. */
  readonly tmuxSessionName: string | null;
  /** Whether the lease of the record has expired, because no program renewed it for a day: the agent may be gone. */
  readonly leaseExpired: boolean;
}

/** A record that cannot be used. */
export interface UnusableRecord {
  readonly path: string;
  /** The reason in words: not JSON, a missing field, or why it cannot be read. */
  readonly reason: string;
}

export interface Registry {
  /** The folder of all records; each is the file `<agent id>/record.json` in it. */
  readonly folder: string;
  readonly records: readonly PublishedAgent[];
  readonly unusable: readonly UnusableRecord[];
  /** The reason why the folder cannot be read, as an error code of the system; null when it can, or does not exist. */
  readonly fault: string | null;
}

/** The gateway process that has published itself in a session. */
export interface PublishedGateway {
  readonly port: number;
}

/**
 * Returns the registry folder of this host: `HOUMAO_GLOBAL_REGISTRY_DIR`, or else `~/.houmao/registry`.
 * @throws TypeError when the variable names a relative path.
 */
export function registryRoot(): string {
  const given = process.env.HOUMAO_GLOBAL_REGISTRY_DIR;
  if (given === undefined) return join(homedir(), '.houmao', 'registry');
  if (isAbsolute(given)) return given;
  const example = 'for example /home/me/.houmao/registry';
  throw new TypeError(`HOUMAO_GLOBAL_REGISTRY_DIR must be an absolute path, ${example}; it is ${given}`);
}

/** Reads every record of a registry. A record that cannot be read is reported and does not affect the others. */
export async function readRegistry(root: string, now: Date): Promise<Registry> {
  const folder = join(root, 'live_agents');
  let fault: string | null = null;
  const ids = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') fault = error.code ?? error.message;
    return [];
  });
  const read = await Promise.all(ids.sort().map((id) => readRecord(join(folder, id, 'record.json'), now)));
  return {
    folder,
    records: read.flatMap((each) => ('reason' in each ? [] : [each])),
    unusable: read.flatMap((each) => ('reason' in each ? [each] : [])),
    fault,
  };
}

async function readRecord(path: string, now: Date): Promise<PublishedAgent | UnusableRecord> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => error);
  if (typeof text !== 'string') return { path, reason: text.code ?? text.message };
  const record = objectIn(text);
  const runtime = objectOf(record.runtime);
  const { agent_name: agentName, agent_id: agentId } = record;
  const { manifest_path: manifest, session_root: root } = runtime;
  if (typeof agentName !== 'string' || typeof agentId !== 'string' || typeof manifest !== 'string') {
    return { path, reason: 'it is no record with agent_name, agent_id and runtime.manifest_path' };
  }
  // Version 3 of the record has the lease in an object of its own, and the current session under another name.
  const { session_name, current_session_name = session_name } = objectOf(record.terminal);
  const { lease_expires_at } = record.liveness === undefined ? record : objectOf(record.liveness);
  return {
    agentName,
    agentId,
    sessionRoot: typeof root === 'string' ? root : dirname(manifest),
    tmuxSessionName: typeof current_session_name === 'string' ? current_session_name : null,
    leaseExpired: !(Date.parse(String(lease_expires_at)) >= now.getTime()),
  };
}

const gatewayFolder = (sessionRoot: string): string => join(sessionRoot, 'gateway');

/** Returns the gateway that has published itself in a session; null when none has. It counts only if it also answers. */
export async function publishedGateway(sessionRoot: string): Promise<PublishedGateway | null> {
  const path = join(gatewayFolder(sessionRoot), 'run', 'current-instance.json');
  const { port } = objectIn(await readFile(path, 'utf8').catch(() => ''));
  return typeof port === 'number' ? { port } : null;
}

/** Returns the token of the gateway of a session; null when it cannot be read. */
export async function gatewayToken(sessionRoot: string): Promise<string | null> {
  const token = await readFile(join(gatewayFolder(sessionRoot), 'access-token'), 'utf8').catch(() => '');
  return token.trim() || null;
}

function objectIn(text: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
