import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { StoredEvent } from '../../../src/events/event-table.js';
import { toEventLine, toLogLine } from '../../../src/events/read-event.js';
import { openDatabase } from '../../../src/foundation/open-database.js';
import type { SessionPaths } from '../../../src/session/session-paths.js';

// The traces of a gateway and its agent, for tests that look at them from outside.

/** One line of the stand-in's ledger. */
export interface LedgerEntry {
  pid: number;
  turn_id: string | null;
  session_id: string;
  prompt?: string;
  done?: boolean;
  outcome?: string;
}

export const linesOf = (path: string): string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];

/** The prompts the agent took, in order; a prompt that ran twice is there twice. */
export const takenPrompts = (ledger: string): LedgerEntry[] =>
  linesOf(ledger)
    .map((line) => JSON.parse(line) as LedgerEntry)
    .filter((entry) => entry.prompt !== undefined);

/** Pids of living processes that carry the mark of a turn. */
export function markedProcesses(turnIds: Iterable<string | null>): number[] {
  const marks = [...turnIds].map((id) => `\0HOUMAO_TURN_ID=${id}\0`);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const environment = `\0${contentOf(`/proc/${pid}/environ`)}`;
      return marks.some((mark) => environment.includes(mark));
    })
    .map(Number);
}

/** Every living process that a turn of this session started. */
export const agentsOf = (session: { paths: SessionPaths; ledger: string }): number[] =>
  markedProcesses([
    ...takenPrompts(session.ledger).map((entry) => entry.turn_id),
    ...(existsSync(session.paths.turnArtifacts) ? readdirSync(session.paths.turnArtifacts) : []),
  ]);

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** The lines that both files must hold, from the events in the database of a stopped gateway. */
export function expectedLines(paths: SessionPaths): { events: string[]; log: string[] } {
  const stored = withDatabase(paths, (database) =>
    database
      .prepare<[], StoredEvent>('SELECT seq, at_utc, kind, subject_id, data_json FROM events ORDER BY seq')
      .all(),
  );
  const present = (line: string | null): line is string => line !== null;
  return { events: stored.map(toEventLine).filter(present), log: stored.map(toLogLine).filter(present) };
}

export interface StoredRequest {
  request_id: string;
  request_kind: string;
  payload_json: string;
  state: string;
  error_detail: string | null;
  result_json: string | null;
  managed_agent_instance_epoch: number;
}

/** The rows of a stopped gateway, in the order of insertion. */
export const storedRequests = (paths: SessionPaths): StoredRequest[] =>
  withDatabase(paths, (database) =>
    database.prepare<[], StoredRequest>('SELECT * FROM gateway_requests ORDER BY rowid').all(),
  );

export function withDatabase<T>(paths: SessionPaths, work: (database: Database.Database) => T): T {
  const database = openDatabase(paths.queue);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Looks until `probe` says something other than null, false or undefined. */
export async function eventually<T>(
  what: string,
  probe: () => T | null | undefined | false,
  seconds = 20,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const seen = probe();
    if (seen !== null && seen !== undefined && seen !== false) return seen;
    if (Date.now() > deadline) throw new Error(`never seen: ${what}; seen last: ${seen}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Has the agent stand still that works on a prompt: its turn goes on when the returned function is called, and so ends after whatever
 * was done before.
 * @param words of the prompt, which has a `[[slow]]` that gives time for this.
 */
export async function heldAgent(ledger: string, words: string): Promise<() => void> {
  const { pid } = await eventually(`the agent taking ${words}`, () =>
    takenPrompts(ledger).find(({ prompt }) => prompt?.includes(words)),
  );
  process.kill(pid, 'SIGSTOP');
  return () => void process.kill(pid, 'SIGCONT');
}
