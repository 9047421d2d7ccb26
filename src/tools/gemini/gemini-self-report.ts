import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { listOf, numberOf, recordOf, rowOf, textOf, timeOf } from '../adapter/json-value.js';
import { namesIn, readText } from '../self-report/agent-files.js';
import type {
  AgentState,
  Binder,
  BoundFiles,
  PromptTaken,
  ReportingAgent,
  SelfReportFact,
  StateFact,
  ToolSelfReport,
} from '../self-report/self-report.js';
import { conversationOfChat, GeminiChat } from './gemini-chat.js';
import { geminiHookEvents } from './gemini-settings.js';

export const geminiSelfReport: ToolSelfReport = {
  home(environment) {
    const folder = environment.GEMINI_CLI_HOME || environment.HOME;
    return folder ? join(folder, '.gemini') : null;
  },
  binder: (agent) => new GeminiBinder(agent),
  hooks: geminiHookEvents,
  // OSC 0 and 2 set the title.
  readOsc: ({ code, text }) => (code === 0 || code === 2 ? readGeminiTitle(text) : null),
};

/** The number of bytes that are read for the first row of a chat, which is short. */
const headerBytes = 4096;

/**
 * Finds the files of a Gemini CLI. Its files do not name its process, and it keeps no file open: the only link is the
 * conversation that its command line names. Another Gemini CLI in the same project may remove the chat; it is created again under
 * the same path, without its first row. The conversation that `/clear` opens has an id that Gemini CLI reports nowhere.
 */
class GeminiBinder implements Binder {
  readonly #agent: ReportingAgent;
  readonly #log: GeminiLog;
  #chat: string | null = null;

  constructor(agent: ReportingAgent) {
    this.#agent = agent;
    this.#log = new GeminiLog(agent.conversation ?? '');
  }

  check(): BoundFiles {
    const { home, conversation } = this.#agent;
    const temporary = join(home, 'tmp');
    const project = this.#project();
    if (conversation === null || project === null)
      return { facts: [], rowFiles: [], folders: [home, temporary] };
    const folder = join(temporary, project);
    const chats = join(folder, 'chats');
    const logs = `tmp/${project}/logs.json`;
    const facts: SelfReportFact[] = this.#log.read(readText(join(home, logs)), logs);
    const folders = [home, temporary, folder, chats];
    const isNew = this.#chat === null;
    this.#chat ??= chatOf(chats, conversation);
    if (this.#chat === null) return { facts, rowFiles: [], folders };
    const shown = `tmp/${project}/chats/${this.#chat}`;
    if (isNew) facts.unshift({ kind: 'conversation', id: conversation, evidence: shown, at: null });
    const path = join(chats, this.#chat);
    return { facts, rowFiles: [{ path, shown, reader: () => new GeminiChat(conversation) }], folders };
  }

  /** Returns the name of the folder for the working directory, as Gemini CLI recorded it. */
  #project(): string | null {
    const { home, cwd } = this.#agent;
    const projects = recordOf(rowOf(readText(join(home, 'projects.json')) ?? '')?.projects) ?? {};
    for (const path of [cwd, resolved(cwd)]) {
      const name = Object.hasOwn(projects, path) ? textOf(projects[path]) : null;
      if (name !== null && name !== '' && !name.includes('/') && !name.startsWith('.')) return name;
    }
    return null;
  }
}

/**
 * Finds the chat with the conversation's id in its name and in its first row; else one whose name fits and that has no first row.
 */
function chatOf(folder: string, conversation: string): string | null {
  const end = `-${conversation.slice(0, 8)}.jsonl`;
  const named = namesIn(folder).filter((name) => name.startsWith('session-') && name.endsWith(end));
  const fitting = named.map((name) => ({ name, id: headerOf(join(folder, name)) }));
  const sure = fitting.find(({ id }) => id === conversation);
  return (sure ?? fitting.find(({ id }) => id === null))?.name ?? null;
}

function headerOf(path: string): string | null {
  const start = Buffer.alloc(headerBytes);
  try {
    const file = openSync(path, 'r');
    try {
      const size = readSync(file, start, 0, headerBytes, 0);
      const line = start.toString('utf8', 0, size).split('\n')[0] ?? '';
      return conversationOfChat(rowOf(line) ?? {});
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The states by the sign in the title: the word after the sign may vary, so it is not read. */
const states: Readonly<Record<string, AgentState>> = { '◇': 'idle', '✦': 'busy', '✋': 'waiting' };

/** Returns the state in the title of the terminal, such as `✦  Working… (project)`; null for another title. */
export function readGeminiTitle(title: string): StateFact | null {
  const sign = /^(\S)\ufe0f?\s+\S/u.exec(title)?.[1] ?? '';
  const state = Object.hasOwn(states, sign) ? states[sign] : undefined;
  if (state === undefined) return null;
  const waitingFor = state === 'waiting' ? 'Action Required' : null;
  return { kind: 'state', state, waitingFor, evidence: `terminal title ${sign}`, at: null };
}

/**
 * Reads `logs.json`: the submitted prompts and commands of all sessions of a project. The file is rewritten as a whole each time,
 * and two writers lose each other's entries. The session in an entry is the one that the process began with, also after `/clear`.
 */
export class GeminiLog {
  readonly #session: string;
  #last: number | null = null;

  constructor(session: string) {
    this.#session = session;
  }

  /** @param text the whole file; null if there is none. @returns the entries that were added since the first call. */
  read(text: string | null, file: string): PromptTaken[] {
    const entries = text === null ? [] : entriesOf(text);
    if (entries === null) return [];
    const ours = entries.filter(({ session }) => session === this.#session);
    const before = this.#last;
    this.#last = ours.reduce((last, { number }) => Math.max(last, number), before ?? -1);
    if (before === null) return [];
    return ours
      .filter(({ number }) => number > before)
      .map(({ number, text: typed, at }) => ({
        kind: 'prompt_taken',
        text: typed,
        pending: true,
        evidence: `message ${number} of ${file}`,
        at,
        conversation: null,
        turn: null,
      }));
  }
}

interface LogEntry {
  session: string;
  number: number;
  text: string;
  at: string | null;
}

/** Null while the file is being written. */
function entriesOf(text: string): LogEntry[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return (listOf(value) ?? []).flatMap((each) => {
    const entry = recordOf(each);
    const session = textOf(entry?.sessionId);
    const number = numberOf(entry?.messageId);
    const typed = entry?.type === 'user' ? textOf(entry.message) : null;
    if (session === null || number === null || typed === null) return [];
    return [{ session, number, text: typed, at: timeOf(entry?.timestamp) }];
  });
}
