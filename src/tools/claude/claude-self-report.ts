import { existsSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../foundation/processes.js';
import { numberOf, recordOf, rowOf, textOf, timeOf } from '../adapter/json-value.js';
import { namesIn, readText } from '../self-report/agent-files.js';
import {
  type AgentState,
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
import { claudeHookEvents } from './claude-adapter.js';
import { ClaudeTranscript } from './claude-transcript.js';

export const claudeSelfReport: ToolSelfReport = {
  home(environment) {
    const { CLAUDE_CONFIG_DIR, HOME } = environment;
    return CLAUDE_CONFIG_DIR || (HOME ? join(HOME, '.claude') : null);
  },
  binder: (agent) => new ClaudeBinder(agent),
  hooks: claudeHookEvents,
  readOsc: (sequence) => readOsc7501(sequence, 'claude-code'),
};

/** The number of conversations that are followed, the latest ones: each `/clear` opens another one. */
const mostConversations = 8;

/**
 * Finds the files of a Claude Code process: it records in `sessions/<pid>.json` which conversation it has open, and each
 * conversation has a transcript of the same name.
 */
class ClaudeBinder implements Binder {
  readonly #agent: ReportingAgent;
  readonly #conversations: string[] = [];
  /** The folder below `projects/` of each conversation. */
  readonly #projects = new Map<string, string>();
  #cwd: string;
  /** The state that was reported last, with everything that makes it a different one. */
  #reported: string | null = null;

  constructor(agent: ReportingAgent) {
    this.#agent = agent;
    this.#cwd = agent.cwd;
  }

  check(): BoundFiles {
    const { home } = this.#agent;
    const facts = this.#facts();
    const transcripts = this.#conversations.slice(-mostConversations).map((id) => this.#transcript(id));
    const isOurs = (id: string): boolean => this.#conversations.includes(id);
    const history: RowFile = {
      path: join(home, 'history.jsonl'),
      shown: 'history.jsonl',
      reader: () => new ClaudeHistory(isOurs),
    };
    const found = [...this.#projects.values()].map((name) => join(home, 'projects', name));
    const folders = new Set([home, join(home, 'sessions'), join(home, 'projects'), ...found]);
    // The first transcript will most likely appear in this folder; it is searched for in all of them.
    folders.add(join(home, 'projects', this.#cwd.replace(/[^A-Za-z0-9]/g, '-')));
    return {
      facts,
      rowFiles: [...transcripts.filter((file) => file !== null), history],
      folders: [...folders],
    };
  }

  /**
   * Reads the status file of the process. On other systems than Linux the file gives the start of the process in another form,
   * and proves nothing.
   */
  #facts(): SelfReportFact[] {
    if (platform() !== 'linux') return [];
    const { process, home } = this.#agent;
    const file = `sessions/${process.pid}.json`;
    const text = readText(join(home, file));
    // This check comes after the file was read: a process that was killed leaves its file behind.
    if (!isAlive(process)) return [];
    const status = text === null ? null : readClaudeStatus(text);
    if (text !== null && status === null) return [];
    if (status?.pid !== process.pid || status.startedAt !== process.startedAt) return [];
    return [...this.#conversation(status, file), ...this.#state(status, file)];
  }

  #conversation({ conversation, cwd }: ClaudeStatus, evidence: string): SelfReportFact[] {
    this.#cwd = cwd ?? this.#cwd;
    if (this.#conversations.at(-1) === conversation) return [];
    const known = this.#conversations.indexOf(conversation);
    if (known !== -1) this.#conversations.splice(known, 1);
    this.#conversations.push(conversation);
    return [{ kind: 'conversation', id: conversation, evidence, at: null }];
  }

  #state({ state, waitingFor, stateSince }: ClaudeStatus, file: string): SelfReportFact[] {
    const key = JSON.stringify([state, waitingFor, stateSince]);
    if (state === null || key === this.#reported) return [];
    this.#reported = key;
    return [{ kind: 'state', state, waitingFor, evidence: `${file} says ${state}`, at: null }];
  }

  #transcript(conversation: string): RowFile | null {
    const projects = join(this.#agent.home, 'projects');
    const name = `${conversation}.jsonl`;
    const holds = (folder: string): boolean => existsSync(join(projects, folder, name));
    const folder = this.#projects.get(conversation) ?? namesIn(projects).find(holds);
    if (folder === undefined) return null;
    this.#projects.set(conversation, folder);
    return {
      path: join(projects, folder, name),
      shown: `projects/${folder}/${name}`,
      reader: () => new ClaudeTranscript(conversation),
    };
  }
}

/** The content of `sessions/<pid>.json`, which describes one process. */
export interface ClaudeStatus {
  pid: number;
  /** The start of the process, as {@link ProcessIdentity.startedAt} on Linux. */
  startedAt: string;
  conversation: string;
  /** The resolved working directory. */
  cwd: string | null;
  /** Null while the process starts, and for an unknown word. */
  state: AgentState | null;
  waitingFor: string | null;
  /** The time at which this state began, in ISO 8601. */
  stateSince: string | null;
}

const states: Readonly<Record<string, AgentState>> = {
  busy: 'busy',
  idle: 'idle',
  waiting: 'waiting',
  // The turn has ended; a command of it still runs in the background.
  shell: 'idle',
};

/** Parses a status file; null for a text that is just being overwritten, and for one of another format. */
export function readClaudeStatus(text: string): ClaudeStatus | null {
  const row = rowOf(text) ?? {};
  const pid = numberOf(row.pid);
  const startedAt = textOf(row.procStart);
  const conversation = textOf(row.sessionId);
  if (pid === null || startedAt === null || conversation === null || !/^[\w-]+$/.test(conversation))
    return null;
  const word = textOf(row.status) ?? '';
  const state = (Object.hasOwn(states, word) ? states[word] : null) ?? null;
  return {
    pid,
    startedAt,
    conversation,
    cwd: textOf(row.cwd),
    state,
    waitingFor: state === 'waiting' ? textOf(row.waitingFor) : null,
    stateSince: timeOf(row.statusUpdatedAt),
  };
}

/**
 * Reads `history.jsonl`, which all sessions share: the submitted prompts and commands. The content of a long paste is not in it,
 * and such a row is skipped.
 */
export class ClaudeHistory implements RowReader {
  readonly #isOurs: (conversation: string) => boolean;

  constructor(isOurs: (conversation: string) => boolean) {
    this.#isOurs = isOurs;
  }

  read(row: Record<string, unknown>, place: RowPlace): SelfReportFact[] {
    const conversation = textOf(row.sessionId);
    const display = textOf(row.display);
    if (conversation === null || display === null || !this.#isOurs(conversation)) return [];
    const text = withPastes(display, recordOf(row.pastedContents) ?? {});
    if (text === null) return [];
    const evidence = evidenceOf('row', place);
    const at = timeOf(row.timestamp);
    return [{ kind: 'prompt_taken', text, pending: true, evidence, at, conversation, turn: null }];
  }
}

/** Returns the text with its pastes filled in; null if a paste is stored elsewhere. */
function withPastes(display: string, pastes: Record<string, unknown>): string | null {
  let missing = false;
  const text = display.replace(/\[Pasted text #(\d+)(?: \+\d+ lines)?\]/g, (mark, number: string) => {
    const paste = Object.hasOwn(pastes, number) ? recordOf(pastes[number]) : null;
    if (paste === null) return mark;
    const content = textOf(paste.content);
    missing ||= content === null;
    return content ?? '';
  });
  return missing ? null : text;
}
