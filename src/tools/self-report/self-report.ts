import type { Clock } from '../../foundation/clock.js';
import type { ProcessIdentity } from '../../foundation/processes.js';
import type { OscSequence } from './osc-sequences.js';

/** `waiting`: for a person, who has to answer something. */
export type AgentState = 'idle' | 'busy' | 'waiting';

interface Said {
  /** Names the file and row, or the sign on the terminal. Nothing of the conversation is in it. */
  evidence: string;
  /** When the tool wrote this by its own word, in ISO 8601; null where it does not say. */
  at: string | null;
}

interface OfTurn extends Said {
  /** The conversation it belongs to; null where the source does not say. */
  conversation: string | null;
  /** The tool's own name of the turn; null where it has none. */
  turn: string | null;
}

export interface ConversationFact extends Said {
  kind: 'conversation';
  /** The conversation that the tool has open from now on; those before may still go on. */
  id: string;
}

export interface PromptTaken extends OfTurn {
  kind: 'prompt_taken';
  text: string;
  /** Accepted, but not in the conversation yet: it may wait in a queue and may still be dropped. */
  pending: boolean;
  /** Only a hook was called with it: another hook may refuse the prompt, and some tools then put it back into the composer. */
  refusable?: true;
}

/** A pending prompt was taken back: it stands in the composer again. */
export interface PromptDropped extends OfTurn {
  kind: 'prompt_dropped';
  text: string;
}

export interface StateFact extends Said {
  kind: 'state';
  state: AgentState;
  /** What a waiting agent waits for, in the tool's words; null where it does not say, and in other states. */
  waitingFor: string | null;
}

/**
 * A hook was called because a person is to allow something. Other signs tell whether they are asked, and only these tell when that
 * is over: no hook is called then.
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
  /** False: it looks like the end, but the agent may go on by itself. It is the end once the agent is idle. */
  settled: boolean;
  /** The last message of the agent; of an interrupted turn what there was of it. */
  answer: string | null;
  model: string | null;
  /** What the turn used, under the names that turns without a terminal use. */
  usage: Record<string, unknown> | null;
  error: TurnError | null;
}

/** What an agent says of itself. The texts are the conversation's: none of them may go into a log. */
export type SelfReportFact =
  | ConversationFact
  | PromptTaken
  | PromptDropped
  | StateFact
  | AskingFact
  | TurnEnded;

/** Where a row stands. */
export interface RowPlace {
  /** For people: the path below the tool's folder. */
  file: string;
  /** Where the row begins, in bytes. */
  offset: number;
}

export const evidenceOf = (row: string, place: RowPlace): string =>
  `${row} at byte ${place.offset} of ${place.file}`;

/** Reads the rows of one file in their order. It never throws, and what it does not know it passes over. */
export interface RowReader {
  read(row: Record<string, unknown>, place: RowPlace): SelfReportFact[];
}

/** A file whose rows are read as they are appended. */
export interface RowFile {
  path: string;
  /** {@link RowPlace.file} */
  shown: string;
  /** A reader for the file from its first row on, or from any later one. */
  reader(): RowReader;
}

/** What a look at the files of an agent found. */
export interface Look {
  /** From files that are rewritten as a whole. Each fact is told once. */
  facts: readonly SelfReportFact[];
  rowFiles: readonly RowFile[];
  /** Where a change means: look again. */
  folders: readonly string[];
}

/** Finds the files of one agent, surely its own. */
export interface Binder {
  look(): Look;
}

/** An agent that runs in a terminal. */
export interface ReportingAgent {
  /** The tool itself, not the shell around it. */
  process: ProcessIdentity;
  /** The tool's folder; {@link ToolSelfReport.home} finds it. */
  home: string;
  cwd: string;
  /** The conversation that the command line asked for; null when it left that to the tool. */
  conversation: string | null;
}

/** How one tool reports on itself. */
export interface ToolSelfReport {
  /** The tool's folder in the environment it runs in; null when that names none. */
  home(environment: Readonly<Record<string, string | undefined>>): string | null;
  binder(agent: ReportingAgent, clock: Clock): Binder;
  /** What a launch with hooks has the tool tell. */
  readonly hooks: HookEvents;
  /** What the tool said to its terminal; null when that means nothing. */
  readOsc(sequence: OscSequence): StateFact | null;
}

/** Which hooks of a tool are asked for, and what their rows mean. */
export interface HookEvents {
  /** Called with each prompt that is submitted, before the tool takes it. */
  readonly prompt: string;
  /** Called when the tool is about to ask a person for a permission. */
  readonly permission: string;
  /** What a row of the latter asks for, in the tool's words; null when it asks for no permission. */
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
 * The state in a sequence such as `7501;state=blocked:app=codex:kind=permission`; null for a query, for another program's
 * and for what is not known.
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
