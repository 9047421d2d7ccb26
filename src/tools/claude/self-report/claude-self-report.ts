import { existsSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../../foundation/process-identity.js';
import { readOsc7501 } from '../../self-report/osc-7501.js';
import { namesIn, readText } from '../../self-report/read-text.js';
import type {
  Binder,
  Look,
  ReportingAgent,
  RowFile,
  SelfReportFact,
  ToolSelfReport,
} from '../../self-report/self-report.js';
import { claudeHookEvents } from '../claude-hooks.js';
import { ClaudeHistory } from './claude-history.js';
import { type ClaudeStatus, readClaudeStatus } from './claude-status.js';
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

/** So many conversations are followed, the latest ones: `/clear` opens another one each time. */
const mostConversations = 8;

/** A process says in `sessions/<pid>.json` which conversation it has open, and each has a transcript of its name. */
class ClaudeBinder implements Binder {
  readonly #agent: ReportingAgent;
  readonly #conversations: string[] = [];
  /** Folders below `projects/` by conversation. */
  readonly #projects = new Map<string, string>();
  #cwd: string;
  /** The state that was told last, with all that makes it another one. */
  #told: string | null = null;

  constructor(agent: ReportingAgent) {
    this.#agent = agent;
    this.#cwd = agent.cwd;
  }

  look(): Look {
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
    // Where the first transcript is most likely to appear; it is looked for everywhere.
    folders.add(join(home, 'projects', this.#cwd.replace(/[^A-Za-z0-9]/g, '-')));
    return {
      facts,
      rowFiles: [...transcripts.filter((file) => file !== null), history],
      folders: [...folders],
    };
  }

  /** Elsewhere than on Linux the file has the start of the process in a form of its own, and proves nothing. */
  #facts(): SelfReportFact[] {
    if (platform() !== 'linux') return [];
    const { process, home } = this.#agent;
    const file = `sessions/${process.pid}.json`;
    const text = readText(join(home, file));
    // Looked at after its file: what a process leaves when it is killed is no word of it.
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
    if (state === null || key === this.#told) return [];
    this.#told = key;
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
