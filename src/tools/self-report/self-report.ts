import type { Clock } from '../../foundation/clock.js';
import type { ProcessIdentity } from '../../foundation/processes.js';
import type { ReportedPart } from '../adapter/reported-part.js';
import type { OscSequence } from './osc-sequences.js';

/** The state of an agent. `waiting`: it waits for a person to answer a question. */
export type AgentState = 'idle' | 'busy' | 'waiting';

interface Said {
  /** Names the file and row, or the sign on the terminal. It contains nothing of the conversation. */
  evidence: string;
  /** The time at which the tool wrote this, as the tool itself says, in ISO 8601; null if it does not say. */
  at: string | null;
}

interface OfTurn extends Said {
  /** The conversation it belongs to; null if the source does not name it. */
  conversation: string | null;
  /** The tool's own name of the turn; null if it has none. */
  turn: string | null;
}

export interface ConversationFact extends Said {
  kind: 'conversation';
  /** The conversation that the tool has open from now on; earlier ones may continue. */
  id: string;
}

export interface PromptTaken extends OfTurn {
  kind: 'prompt_taken';
  text: string;
  /** Accepted, but not in the conversation yet: it may wait in a queue and may still be dropped. */
  pending: boolean;
  /** Reported only by a hook: another hook may refuse the prompt, and some tools then put it back into the composer. */
  refusable?: true;
}

/** A pending prompt was taken back: it is in the composer again. */
export interface PromptDropped extends OfTurn {
  kind: 'prompt_dropped';
  text: string;
}

export interface StateFact extends Said {
  kind: 'state';
  state: AgentState;
  /** The reason for which a waiting agent waits, in the tool's words; null if the tool does not say, and in other states. */
  waitingFor: string | null;
}

/**
 * A hook was called because a person is to allow something. Other signs show whether the question is really asked, and only they
 * show when it has ended: no hook is called at its end.
 */
export interface AskingFact extends Said {
  kind: 'asking';
  /** {@link StateFact.waitingFor} */
  waitingFor: string;
}

export interface TurnError {
  /** The agent's words, on one line. */
  message: string;
  /** The tool's name for it, such as `authentication_failed`. */
  code: string | null;
  /** The HTTP status of the provider's answer. */
  status: number | null;
}

export interface TurnEnded extends OfTurn {
  kind: 'turn_ended';
  outcome: 'completed' | 'failed' | 'interrupted';
  /** False: this looks like the end, but the agent may continue by itself. It is the end once the agent is idle. */
  settled: boolean;
  /** The last message of the agent; for an interrupted turn as much of it as there was. */
  answer: string | null;
  model: string | null;
  /** The tokens that the turn used, under the names that headless turns use. */
  usage: Record<string, unknown> | null;
  error: TurnError | null;
}

/** The agent said something, or used a tool. Several may come from one row. */
export interface Utterance extends Said {
  kind: 'utterance';
  part: ReportedPart;
  place: RowPlace;
}

/** A fact that an agent reports about itself. Its texts are from the conversation: none of them may go into a log. */
export type SelfReportFact =
  | ConversationFact
  | PromptTaken
  | PromptDropped
  | StateFact
  | AskingFact
  | Utterance
  | TurnEnded;

/** The position of a row. */
export interface RowPlace {
  /** The path below the tool's folder, for people. */
  file: string;
  /** The start of the row, in bytes. */
  offset: number;
}

export const evidenceOf = (row: string, place: RowPlace): string =>
  `${row} at byte ${place.offset} of ${place.file}`;

/** Reads the rows of one file in order. It never throws, and skips unknown rows. */
export interface RowReader {
  read(row: Record<string, unknown>, place: RowPlace): SelfReportFact[];
  /** Returns the parts of the turn in a row, for a file that has the conversation. */
  said?(row: Record<string, unknown>): ReportedPart[];
}

/** A file whose rows are read as they are appended. */
export interface RowFile {
  path: string;
  /** {@link RowPlace.file} */
  shown: string;
  /** Creates a reader for the file, from its first row or from any later one. */
  reader(): RowReader;
}

/** The result of one check of an agent's files. */
export interface BoundFiles {
  /** Facts from files that are rewritten as a whole. Each fact is reported once. */
  facts: readonly SelfReportFact[];
  rowFiles: readonly RowFile[];
  /** The folders to watch: after a change in one of them the files are checked again. */
  folders: readonly string[];
}

/** Finds the files that certainly belong to one agent. */
export interface Binder {
  check(): BoundFiles;
}

/** An agent that runs in a terminal. */
export interface ReportingAgent {
  /** The process of the tool itself, not of the shell around it. */
  process: ProcessIdentity;
  /** The tool's folder, found by {@link ToolSelfReport.home}. */
  home: string;
  cwd: string;
  /** The conversation that the command line names; null if the tool chooses it. */
  conversation: string | null;
}

/** The sources in which one tool reports on itself. */
export interface ToolSelfReport {
  /** Returns the tool's folder by the environment it runs in; null if that names none. */
  home(environment: Readonly<Record<string, string | undefined>>): string | null;
  binder(agent: ReportingAgent, clock: Clock): Binder;
  /** The hooks that a launch with hooks asks for. */
  readonly hooks: HookEvents;
  /** Reads a message of the tool to its terminal; null if it does not report a state. */
  readOsc(sequence: OscSequence): StateFact | null;
}

/** The hooks of a tool that are used, and the meaning of their rows. */
export interface HookEvents {
  /** Called with each submitted prompt, before the tool takes it. */
  readonly prompt: string;
  /** Called when the tool is about to ask a person for a permission. */
  readonly permission: string;
  /** Returns what a row of `permission` asks for, in the tool's words; null if it asks for no permission. */
  waitingFor(row: Record<string, unknown>): string | null;
}

const states: Readonly<Record<string, AgentState>> = {
  idle: 'idle',
  working: 'busy',
  done: 'idle',
  blocked: 'waiting',
  // The turn failed and the composer is open again.
  error: 'idle',
};

/**
 * Reads the state in a sequence such as `7501;state=blocked:app=codex:kind=permission`; null for a query, for a sequence of
 * another program and for an unknown state.
 */
export function readOsc7501({ code, text }: OscSequence, app: string): StateFact | null {
  if (code !== 7501 || text.startsWith('?')) return null;
  const fields = new Map(text.split(':').map((field) => splitField(field)));
  const word = fields.get('state') ?? '';
  const state = Object.hasOwn(states, word) ? states[word] : undefined;
  if (state === undefined || fields.get('app') !== app) return null;
  const waitingFor = state === 'waiting' ? (fields.get('kind') ?? null) : null;
  return { kind: 'state', state, waitingFor, evidence: `OSC 7501 state=${word}`, at: null };
}

function splitField(field: string): [string, string] {
  const at = field.indexOf('=');
  return at === -1 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)];
}
