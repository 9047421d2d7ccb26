import {
  appendFileSync,
  closeSync,
  constants,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Row } from '../rows.js';
import type { SessionFileFault } from './switches.js';

/** The initial content of `sessions/<pid>.json`. */
export interface SessionRecord {
  pid: number;
  sessionId: string;
  cwd: string;
  [field: string]: unknown;
}

export type AgentStatus = 'idle' | 'busy' | 'waiting';

/** The interval at which rows of a transcript are written together. */
const batchMilliseconds = 100;

/** The files in which Claude Code describes a running session, below its configuration folder. */
export class SessionFiles {
  readonly #home: string;
  readonly #fault: SessionFileFault;
  #record: SessionRecord;
  #written = false;
  #rows: { path: string; row: Row }[] = [];

  /** @param home such as `~/.claude`. */
  constructor(home: string, record: SessionRecord, fault: SessionFileFault) {
    this.#home = home;
    this.#record = record;
    this.#fault = fault;
  }

  get sessionId(): string {
    return this.#record.sessionId;
  }

  /** The file for the rows of the conversation, in a folder for each working directory. */
  get transcriptPath(): string {
    return join(projectFolder(this.#home, this.#record.cwd), `${this.#record.sessionId}.jsonl`);
  }

  /** Writes `sessions/<pid>.json`, the first time or again. */
  publish(more: Partial<SessionRecord> = {}): void {
    this.#record = { ...this.#record, ...more };
    const record = this.#record;
    this.#soon(() => {
      this.#written = true;
      overwrite(this.#recordPath(), JSON.stringify(record));
    });
  }

  /** @param waitingFor what a person has to do, such as `permission prompt`. */
  status(status: AgentStatus, waitingFor?: string): void {
    const now = Date.now();
    const { waitingFor: _before, ...record } = this.#record;
    this.#record = record as SessionRecord;
    const shownStatus = this.#fault.kind === 'contradicting' ? opposite(status) : status;
    const more = shownStatus === 'waiting' && waitingFor !== undefined ? { waitingFor } : {};
    this.publish({ status: shownStatus, updatedAt: now, statusUpdatedAt: now, ...more });
  }

  append(rows: readonly Row[]): void {
    if (this.#rows.length === 0 && rows.length > 0) setTimeout(() => this.flush(), batchMilliseconds);
    const path = this.transcriptPath;
    this.#rows.push(...rows.map((row) => ({ path, row })));
  }

  flush(): void {
    const rows = this.#rows.splice(0);
    this.#soon(() => {
      for (const path of new Set(rows.map((each) => each.path))) {
        const lines = rows.filter((each) => each.path === path).map(({ row }) => `${JSON.stringify(row)}\n`);
        appendLines(path, lines.join(''));
      }
    });
  }

  /** Adds a prompt or a command to the history of all sessions. */
  remember(display: string, pastes: readonly { number: number; text: string }[]): void {
    const pastedContents = Object.fromEntries(
      pastes.map(({ number, text }) => [number, { id: number, type: 'text', content: text }]),
    );
    const { cwd: project, sessionId } = this.#record;
    const line = { display, pastedContents, timestamp: Date.now(), project, sessionId };
    this.#soon(() => appendLines(join(this.#home, 'history.jsonl'), `${JSON.stringify(line)}\n`));
  }

  /** Ends the session: writes the pending rows and removes its file. */
  end(): void {
    this.flush();
    if (this.#written) rmSync(this.#recordPath(), { force: true });
  }

  #recordPath(): string {
    return join(this.#home, 'sessions', `${this.#record.pid}.json`);
  }

  #soon(write: () => void): void {
    const fault = this.#fault;
    if (fault.kind === 'missing' || fault.kind === 'read-only') return;
    if (fault.kind === 'late') setTimeout(write, fault.ms);
    else write();
  }
}

/** Returns the folder of a working directory's conversations. */
export function projectFolder(home: string, cwd: string): string {
  return join(home, 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'));
}

const opposite = (status: AgentStatus): AgentStatus => (status === 'idle' ? 'busy' : 'idle');

// The file is overwritten in place and then truncated: a reader may find the end of the earlier text in it.
function overwrite(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    const length = writeSync(file, text, 0);
    ftruncateSync(file, length);
  } finally {
    closeSync(file);
  }
}

function appendLines(path: string, lines: string): void {
  if (lines === '') return;
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, lines, { mode: 0o600 });
}
