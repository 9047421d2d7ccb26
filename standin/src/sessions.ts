import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A conversation, as one JSON file per session. */
export interface StandinSession {
  session_id: string;
  /** Like Claude Code, the stand-in finds a conversation only from the directory in which it was held. */
  cwd: string;
  created_at: string;
  updated_at: string;
  turns: number;
  prompts: string[];
  /** Over all turns, as `modelUsage` of a result row counts them. */
  input_tokens: number;
  output_tokens: number;
}

export function sessionsDirectory(env: NodeJS.ProcessEnv): string {
  const home = env.CLAUDE_CONFIG_DIR || join(homedir(), '.houmao-standin');
  return join(home, 'standin-sessions');
}

export function newSession(id: string, cwd: string): StandinSession {
  const now = new Date().toISOString();
  return {
    session_id: id,
    cwd,
    created_at: now,
    updated_at: now,
    turns: 0,
    prompts: [],
    input_tokens: 0,
    output_tokens: 0,
  };
}

/** Returns the session with this id, from any directory; null if there is none or its file is broken. */
export function loadSession(directory: string, id: string): StandinSession | null {
  // The id becomes a file name, so it must look like one.
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)) return null;
  try {
    return JSON.parse(readFileSync(join(directory, `${id}.json`), 'utf8'));
  } catch {
    return null;
  }
}

export function latestSession(directory: string, cwd: string): StandinSession | null {
  let latest: StandinSession | null = null;
  for (const name of fileNames(directory)) {
    if (!name.endsWith('.json')) continue;
    const session = loadSession(directory, name.slice(0, -'.json'.length));
    if (session === null || session.cwd !== cwd) continue;
    if (latest === null || session.updated_at > latest.updated_at) latest = session;
  }
  return latest;
}

export function saveSession(directory: string, session: StandinSession): void {
  mkdirSync(directory, { recursive: true });
  session.updated_at = new Date().toISOString();
  const path = join(directory, `${session.session_id}.json`);
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(session, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

function fileNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
