import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { parseEnv } from 'node:util';
import { parse, stringify } from 'yaml';
import { toSecondStamp } from '../../foundation/clock.js';
import { UnusableFile } from '../../foundation/faults.js';
import { namesIn } from '../../foundation/folders.js';
import { toJsonFile } from '../../foundation/json-text.js';
import { openDatabase } from '../../foundation/open-database.js';
import { isSecretName } from '../../foundation/text.js';
import { version } from '../../foundation/version.js';
import { toEnvironmentFile } from '../../session/launch-settings.js';
import { readLaunchedManifest } from '../../session/manifest.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { onCopy } from '../../storage/read-copy.js';
import type { RegisteredAgent } from '../agent-directory.js';
import type { AgentHost } from '../agent-host.js';
import { unprefixedName } from '../agent-name.js';
import { contentsName, folderOf, packArchive, type SavedAgent } from './archive.js';

/**
 * Saves agents into an archive while their gateways run: each database as SQLite's own backup of one moment, and the files of the
 * session beside it (docs/decisions.md#backup).
 * @throws {UnusableFile} @throws the file system's error.
 */
export async function backUpAgents(
  file: string,
  agents: readonly RegisteredAgent[],
  host: AgentHost,
): Promise<SavedAgent[]> {
  if (existsSync(file)) throw new UnusableFile(file, 'it exists', 'name a file that does not exist');
  const staging = mkdtempSync(join(tmpdir(), 'houmao-backup-'));
  try {
    const saved: SavedAgent[] = [];
    for (const agent of agents) saved.push(await saveAgent(agent, staging));
    const contents = {
      schema_version: 1,
      version,
      created_at_utc: toSecondStamp(host.clock.now()),
      home: host.home,
      agents: saved,
    };
    writeFileSync(join(staging, contentsName), toJsonFile(contents), { mode: 0o600 });
    await packArchive(file, staging);
    return saved;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function saveAgent({ name, record, paths }: RegisteredAgent, staging: string): Promise<SavedAgent> {
  const manifest = readLaunchedManifest(paths.manifest);
  if (manifest.brain_manifest_path !== join(paths.root, 'brain.yaml'))
    throw new UnusableFile(
      manifest.brain_manifest_path,
      `${unprefixedName(name)} was launched from it, and it is outside of its session: such an agent cannot be backed up`,
    );
  const target = join(staging, folderOf(record.agent_id));
  mkdirSync(target, { recursive: true, mode: 0o700 });
  cpSync(paths.root, target, { recursive: true, filter: (from) => isSaved(paths, from) });
  for (const database of namesIn(paths.gateway).filter(isDatabase))
    await saveDatabase(join(paths.gateway, database), join(target, 'gateway', database));
  return {
    agent_name: name,
    agent_id: record.agent_id,
    backend: manifest.backend,
    session_id: manifest.runtime.session_id ?? basename(paths.root),
    session_root: paths.root,
    mailbox: manifest.launch_plan.mailbox?.address ?? null,
    secrets: [
      ...new Set([
        ...withoutSecrets(join(target, 'agent.env')),
        ...withoutSecretRecords(join(target, 'brain.yaml')),
      ]),
    ],
  };
}

const isDatabase = (name: string): boolean => name.endsWith('.sqlite');

/** Decides whether a file is saved as it is. */
function isSaved(paths: SessionPaths, from: string): boolean {
  const status = lstatSync(from, { throwIfNoEntry: false });
  if (!status || !(status.isFile() || status.isDirectory())) return false;
  return isKeptPath(relative(paths.root, from));
}

const leftOut: ReadonlySet<string> = new Set([
  // Secrets.
  ...['gateway/access-token', 'mailbox-secrets', 'terminal/start.sh', 'terminal/gemini-settings.json'],
  // The next gateway writes these.
  ...[
    'gateway/run',
    'gateway/state.json',
    'gateway/attach.json',
    'gateway/gateway_manifest.json',
    'stopped-at',
  ],
]);
/** The files that follow the events are written again from them; a database is saved by SQLite. */
const written =
  /^gateway\/(?:[^/]*\.sqlite[^/]*|(?:server-)?events\.jsonl[^/]*|logs\/(?:gateway|server-turns)\.log[^/]*)$/;

/** Pure: decides whether a path of a session root is saved as it is. */
export const isKeptPath = (path: string): boolean =>
  !leftOut.has(path) && !written.test(path) && !path.endsWith('.tmp');

/** Saves the state of one moment, as a file that needs no other. @throws {UnusableFile} when it is damaged. */
async function saveDatabase(path: string, target: string): Promise<void> {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  await onCopy({ path, thing: 'queue', program: 'gateway' }, (copy) => {
    const database = openDatabase(copy);
    try {
      const { integrity_check: found } = database
        .prepare<[], { integrity_check: string }>('PRAGMA integrity_check')
        .get() ?? { integrity_check: 'no answer' };
      if (found !== 'ok') throw new UnusableFile(path, `it is damaged (${found})`);
      database.exec('PRAGMA journal_mode = DELETE');
      // The files that follow the events are not saved: they are written again from the first event on.
      if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'projections'").get())
        database.exec('DELETE FROM projections');
    } finally {
      database.close();
    }
    copyFileSync(copy, target);
  });
}

/** Takes the variables that hold secrets out of an environment file. @returns their names */
function withoutSecrets(path: string): string[] {
  if (!existsSync(path)) return [];
  const variables = Object.entries(parseEnv(readFileSync(path, 'utf8')) as Record<string, string>);
  const kept = variables.filter(([name]) => !isSecretName(name));
  writeFileSync(path, toEnvironmentFile(Object.fromEntries(kept)), { mode: 0o600 });
  return variables.flatMap(([name]) => (isSecretName(name) ? [name] : []));
}

interface BrainRecords {
  runtime?: { launch_contract?: { env_records?: Record<string, string> | null } | null };
}

/** Takes those variables out of a brain manifest, too, which may name some itself. @returns their names */
function withoutSecretRecords(path: string): string[] {
  const brain = parse(readFileSync(path, 'utf8')) as BrainRecords;
  const contract = brain.runtime?.launch_contract;
  const records = Object.entries(contract?.env_records ?? {});
  const secrets = records.map(([name]) => name).filter(isSecretName);
  if (!contract || secrets.length === 0) return [];
  contract.env_records = Object.fromEntries(records.filter(([name]) => !isSecretName(name)));
  writeFileSync(path, stringify(brain), { mode: 0o600 });
  return secrets;
}
