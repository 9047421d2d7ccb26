import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../foundation/clock.js';
import { isAlive } from '../../foundation/processes.js';
import { textOf } from '../adapter/json-value.js';
import { namesIn } from '../self-report/agent-files.js';
import {
  type Binder,
  type BoundFiles,
  evidenceOf,
  type ReportingAgent,
  type RowFile,
  type RowPlace,
  type RowReader,
  readOsc7501,
  type SelfReportFact,
  type ToolSelfReport,
} from '../self-report/self-report.js';
import { codexHookEvents } from './codex-adapter.js';
import { CodexRollout } from './codex-rollout.js';

export const codexSelfReport: ToolSelfReport = {
  home(environment) {
    const { CODEX_HOME, HOME } = environment;
    return CODEX_HOME || (HOME ? join(HOME, '.codex') : null);
  },
  binder: (agent, clock) => new CodexBinder(agent, clock),
  hooks: codexHookEvents,
  readOsc: (sequence) => readOsc7501(sequence, 'codex'),
};

/**
 * Finds the files of a Codex process among its open files: a process holds open the lock of each of its threads and, from the
 * first prompt on, the thread's rollout. This is true where Codex runs without its daemon; the files of a daemon are not
 * attributed to any agent.
 */
class CodexBinder implements Binder {
  readonly #agent: ReportingAgent;
  readonly #clock: Clock;
  /** The path of the rollout of each thread; null until the thread has one. */
  readonly #threads = new Map<string, string | null>();

  constructor(agent: ReportingAgent, clock: Clock) {
    this.#agent = agent;
    this.#clock = clock;
  }

  check(): BoundFiles {
    const { home } = this.#agent;
    const facts = this.#facts();
    const rollouts = [...this.#threads].flatMap(([thread, path]) =>
      path === null ? [] : [rolloutFile(thread, path)],
    );
    const isOurs = (thread: string): boolean => this.#threads.has(thread);
    const history: RowFile = {
      path: join(home, 'history.jsonl'),
      shown: 'history.jsonl',
      reader: () => new CodexHistory(isOurs),
    };
    const written = rollouts.map(({ path }) => join(path, '..'));
    const folders = new Set([home, join(home, 'thread-writer-locks'), this.#today(), ...written]);
    return { facts, rowFiles: [...rollouts, history], folders: [...folders] };
  }

  #facts(): SelfReportFact[] {
    const { process } = this.#agent;
    const descriptors = `/proc/${process.pid}/fd`;
    const threads = threadsOf(namesIn(descriptors).flatMap((name) => linkOf(join(descriptors, name))));
    // This check comes last: if the process is still alive now, the descriptors read above were its own and not those of a later
    // process with the same pid.
    if (!isAlive(process)) return [];
    const facts: SelfReportFact[] = [];
    for (const { id, rollout } of threads) {
      const evidence = `thread ${id} is open in process ${process.pid}`;
      if (!this.#threads.has(id)) facts.push({ kind: 'conversation', id, evidence, at: null });
      this.#threads.set(id, rollout ?? this.#threads.get(id) ?? null);
    }
    return facts;
  }

  /** Returns the folder in which a first prompt of today creates a rollout. */
  #today(): string {
    const now = this.#clock.now();
    const [month, day] = [now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0'));
    return join(this.#agent.home, 'sessions', String(now.getFullYear()), month ?? '', day ?? '');
  }
}

const rolloutFile = (thread: string, path: string): RowFile => ({
  path,
  shown: path.slice(path.lastIndexOf('/sessions/') + 1),
  reader: () => new CodexRollout(thread),
});

/** Returns nothing for a descriptor that was closed meanwhile. */
function linkOf(path: string): string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}

/** A conversation that a Codex process has open. */
interface CodexThread {
  id: string;
  /** Null until its first prompt. */
  rollout: string | null;
}

const lock = /\/thread-writer-locks\/([0-9a-f-]{36})\.lock$/;
const rollout = /\/rollout-[^/]*?-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/;

/**
 * Finds the threads among the files that a process has open. `/new` and `/resume` open another thread and close none.
 *
 * @param links the targets of the descriptors of the process.
 */
export function threadsOf(links: readonly string[]): CodexThread[] {
  const threads = new Map<string, string | null>();
  for (const link of links) {
    const locked = lock.exec(link)?.[1];
    if (locked !== undefined && !threads.has(locked)) threads.set(locked, null);
    const written = rollout.exec(link)?.[1];
    if (written !== undefined) threads.set(written, link);
  }
  return [...threads].map(([id, path]) => ({ id, rollout: path }));
}

/** Reads `history.jsonl`, which all sessions share: each prompt appears at submission, before a busy Codex accepts it. */
export class CodexHistory implements RowReader {
  readonly #isOurs: (conversation: string) => boolean;

  constructor(isOurs: (conversation: string) => boolean) {
    this.#isOurs = isOurs;
  }

  read(row: Record<string, unknown>, place: RowPlace): SelfReportFact[] {
    const conversation = textOf(row.session_id);
    const text = textOf(row.text);
    if (conversation === null || text === null || !this.#isOurs(conversation)) return [];
    // The time in this row has no fraction of a second, so the row would seem older than it is.
    const said = { evidence: evidenceOf('row', place), at: null, conversation, turn: null };
    return [{ kind: 'prompt_taken', text, pending: true, ...said }];
  }
}
