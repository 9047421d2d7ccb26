import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../foundation/clock.js';
import { isAlive } from '../../../foundation/process-identity.js';
import { readOsc7501 } from '../../self-report/osc-7501.js';
import { namesIn } from '../../self-report/read-text.js';
import type {
  Binder,
  Look,
  ReportingAgent,
  RowFile,
  SelfReportFact,
  ToolSelfReport,
} from '../../self-report/self-report.js';
import { codexHookEvents } from '../codex-hooks.js';
import { CodexHistory } from './codex-history.js';
import { CodexRollout } from './codex-rollout.js';
import { threadsOf } from './codex-threads.js';

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
 * A process holds open what it writes: the lock of each thread and, from its first prompt on, its rollout. That is so where
 * Codex runs without its daemon; a daemon's files are nobody's here.
 */
class CodexBinder implements Binder {
  readonly #agent: ReportingAgent;
  readonly #clock: Clock;
  /** Rollouts by thread. */
  readonly #threads = new Map<string, string | null>();

  constructor(agent: ReportingAgent, clock: Clock) {
    this.#agent = agent;
    this.#clock = clock;
  }

  look(): Look {
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
    // Looked at last: until then nobody else can have had its pid.
    if (!isAlive(process)) return [];
    const facts: SelfReportFact[] = [];
    for (const { id, rollout } of threads) {
      const evidence = `thread ${id} is open in process ${process.pid}`;
      if (!this.#threads.has(id)) facts.push({ kind: 'conversation', id, evidence, at: null });
      this.#threads.set(id, rollout ?? this.#threads.get(id) ?? null);
    }
    return facts;
  }

  /** Where a first prompt makes a rollout. */
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

/** None for a descriptor that was closed meanwhile. */
function linkOf(path: string): string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}
