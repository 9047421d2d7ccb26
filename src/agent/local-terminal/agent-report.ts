import type { Clock } from '../../foundation/clock.js';
import { identify, type ProcessIdentity, surroundingsOf } from '../../foundation/processes.js';
import { patchConversation } from '../../session/manifest.js';
import { lastConversationOf } from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { unescaped } from '../../terminal/control-lines.js';
import type { TreeProcess } from '../../terminal/process-tree.js';
import type { ToolName } from '../../tools/adapter/tool-adapter.js';
import { HookedBinder, type HookFile } from '../../tools/self-report/hooked-binder.js';
import { OscSequences } from '../../tools/self-report/osc-sequences.js';
import type {
  AgentState,
  AskingFact,
  ReportingAgent,
  SelfReportFact,
} from '../../tools/self-report/self-report.js';
import { type ReportMark, SelfReporter } from '../../tools/self-report/self-reporter.js';
import { toolSelfReport } from '../../tools/terminal-registry.js';

export interface AgentReportParts {
  /** Null for a tool that does not report on itself. */
  tool: ToolName | null;
  /** The file to which its hooks write; null if it was launched without hooks. */
  hooks: HookFile | null;
  clock: Clock;
  /** Called after each report of the agent. */
  onReport: () => void;
  /** Called once for each fault that keeps a file from being read. It contains nothing of the conversation. */
  report: (fault: string) => void;
  /** The longest time in which a change without a file event may go unnoticed; null for the usual time. */
  recheckMilliseconds?: number | null;
}

export type Listener = (fact: SelfReportFact) => void;

/** A listener that gets everything written since a mark, as soon as there is an agent to follow. */
interface CatchingUp {
  readonly from: ReportMark;
  readonly listener: Listener;
  reporter: SelfReporter | null;
}

interface Followed {
  process: ProcessIdentity;
  agent: ReportingAgent;
  reporter: SelfReporter;
}

/** Follows the reports of the agent in a terminal, whatever process it is: it may be restarted at any time. */
export class AgentReport {
  readonly #parts: AgentReportParts;
  readonly #listeners = new Set<Listener>();
  readonly #catchingUp = new Set<CatchingUp>();
  readonly #closing = new Set<Promise<void>>();
  #followed: Followed | null = null;
  #lasting: ReportedState | null = null;
  #asking: ReportedState | null = null;
  #left = new AbortController();
  #title = '';
  #sequences = new OscSequences();

  constructor(parts: AgentReportParts) {
    this.#parts = parts;
  }

  /** The state that the agent reports; null while it reports none. */
  get reportedState(): ReportedState | null {
    return countingState(this.#lasting, this.#asking, this.#parts.clock.monotonic());
  }

  /** True while files of the agent are followed. A missing row in them proves nothing, even then. */
  get follows(): boolean {
    return this.#followed !== null;
  }

  /** True if it was launched with hooks of ours. */
  get hooked(): boolean {
    return this.#parts.hooks !== null;
  }

  /** Takes the result of an observation of the pane: the tool's process, and the title of the pane. */
  saw(tool: TreeProcess | null, title: string): void {
    const process = tool && identify(tool.pid);
    if (!tool || !process) this.#leave();
    else if (!isSame(this.#followed?.process, process)) this.#follow(tool, process);
    if (title === this.#title || !this.#followed) return;
    this.#title = title;
    const fact = this.#report?.readOsc({ code: 2, text: title });
    if (fact) this.#take(fact);
  }

  /** Takes the agent's output to its terminal, as tmux escapes it: some agents report their state in it. */
  wrote(data: string): void {
    if (!this.#followed || !(this.#sequences.inside || mayHoldSequence.test(data))) return;
    for (const sequence of this.#sequences.take(unescaped(data))) {
      const fact = this.#report?.readOsc(sequence);
      if (!fact) continue;
      this.#take(fact);
      this.#parts.onReport();
    }
  }

  /** Returns how far its files were read by now; null if none are followed. */
  async mark(): Promise<ReportMark | null> {
    return (await this.#followed?.reporter.mark()) ?? null;
  }

  /**
   * Passes everything from now on to a listener, and before that what was written since the mark of an earlier owner.
   * @returns a function that ends that.
   */
  listen(from: ReportMark | null, listener: Listener): () => void {
    if (from === null) {
      this.#listeners.add(listener);
      return () => void this.#listeners.delete(listener);
    }
    const catching: CatchingUp = { from, listener, reporter: null };
    this.#catchingUp.add(catching);
    if (this.#followed) this.#catchUp(catching, this.#followed.agent);
    return () => {
      this.#catchingUp.delete(catching);
      if (catching.reporter) this.#close(catching.reporter);
    };
  }

  async close(): Promise<void> {
    this.#leave();
    await Promise.all(this.#closing);
  }

  get #report() {
    return this.#parts.tool && toolSelfReport(this.#parts.tool);
  }

  #follow(tool: TreeProcess, process: ProcessIdentity): void {
    this.#leave();
    const surroundings = surroundingsOf(tool.pid);
    const home = surroundings && this.#report?.home(surroundings.environment);
    if (!surroundings || !home) return;
    const agent: ReportingAgent = {
      process,
      home,
      cwd: surroundings.workingDirectory,
      conversation: conversationOf(tool.args),
    };
    this.#followed = { process, agent, reporter: this.#reporter(agent, null, (fact) => this.#take(fact)) };
    for (const catching of this.#catchingUp) this.#catchUp(catching, agent);
  }

  #reporter(agent: ReportingAgent, from: ReportMark | null, onFact: Listener): SelfReporter {
    const { tool, hooks, clock, report, recheckMilliseconds = null } = this.#parts;
    if (tool === null) throw new Error('A tool that says nothing of itself is not followed.');
    const { binder: own, hooks: events } = toolSelfReport(tool);
    const files = own(agent, clock);
    const binder = hooks === null ? files : new HookedBinder(files, hooks, events, agent.conversation);
    const listener: Listener = (fact) => {
      onFact(fact);
      this.#parts.onReport();
    };
    return new SelfReporter({
      binder,
      clock,
      from,
      onFact: listener,
      onFault: report,
      recheckMilliseconds,
    });
  }

  /** Begins only once: a tool that is restarted later has other files. */
  #catchUp(catching: CatchingUp, agent: ReportingAgent): void {
    catching.reporter ??= this.#reporter(agent, catching.from, catching.listener);
  }

  #leave(): void {
    if (this.#followed) this.#close(this.#followed.reporter);
    this.#followed = null;
    this.#left.abort();
    this.#left = new AbortController();
    this.#lasting = null;
    this.#asking = null;
    this.#title = '';
    this.#sequences = new OscSequences();
  }

  #close(reporter: SelfReporter): void {
    const closing = reporter.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #take(fact: SelfReportFact): void {
    if (fact.kind === 'state') this.#lasting = this.#since(fact);
    else if (fact.kind === 'asking') this.#ask(fact);
    for (const listener of this.#listeners) listener(fact);
  }

  /** Notes a question that a hook reported, and wakes the callers that wait for the agent when it no longer counts. */
  #ask({ waitingFor, evidence }: AskingFact): void {
    this.#asking = this.#since({ state: 'waiting', waitingFor: `permission for ${waitingFor}`, evidence });
    const { signal } = this.#left;
    void this.#parts.clock.sleep(aheadMilliseconds, signal).then(() => {
      if (!signal.aborted) this.#parts.onReport();
    });
  }

  #since({ state, waitingFor, evidence }: Omit<ReportedState, 'since'>): ReportedState {
    return { state, waitingFor, evidence, since: this.#parts.clock.monotonic() };
  }
}

/** The start of an OSC sequence, or a part that may become one with the next output. */
const mayHoldSequence = /\\033(?:\]|$)/;

const isSame = (one: ProcessIdentity | undefined, other: ProcessIdentity): boolean =>
  one?.pid === other.pid && one.startedAt === other.startedAt;

/** Returns the conversation that the command line names; null if the tool chooses it. */
export function conversationOf(args: readonly string[]): string | null {
  for (const option of ['--session-id', '--resume']) {
    const at = args.indexOf(option);
    const value =
      at === -1 ? args.find((arg) => arg.startsWith(`${option}=`))?.slice(option.length + 1) : args[at + 1];
    if (value && !value.startsWith('-') && value !== 'latest') return value;
  }
  return null;
}

/** The state that the agent reported last. */
export interface ReportedState {
  state: AgentState;
  waitingFor: string | null;
  evidence: string;
  /** The time of the report, in milliseconds of a monotonic clock. */
  since: number;
}

/**
 * The time after which the screen of every tool shows the question that a hook reported. The slowest is Codex, which needs one
 * second.
 */
export const aheadMilliseconds = 2000;

/**
 * Pure: chooses the state that counts. A hook reports earlier than every other sign, and never an end. So its report counts only
 * for a moment, and not against a later report of the tool, nor against a tool that reports that it is idle.
 *
 * @param lasting the tool's last report by a sign that also reports ends.
 * @param asking the last report of a hook.
 */
export function countingState(
  lasting: ReportedState | null,
  asking: ReportedState | null,
  now: number,
): ReportedState | null {
  if (asking === null || now - asking.since >= aheadMilliseconds) return lasting;
  if (lasting === null) return asking;
  return lasting.state === 'busy' && lasting.since <= asking.since ? asking : lasting;
}

/** A conversation that the tool has open. @property begun whether it has had a prompt: before that, no tool can continue it. */
export interface OpenConversation {
  readonly id: string;
  readonly begun: boolean;
}

/** Pure: returns the conversation in a terminal after a report of the agent. */
export function conversationAfter(
  open: OpenConversation | null,
  fact: SelfReportFact,
): OpenConversation | null {
  if (fact.kind === 'conversation') return fact.id === open?.id ? open : { id: fact.id, begun: false };
  const begins =
    (fact.kind === 'prompt_taken' && !fact.pending && !fact.refusable) || fact.kind === 'turn_ended';
  if (!begins) return open;
  const id = fact.conversation ?? open?.id;
  return id === undefined || (id === open?.id && open.begun) ? open : { id, begun: true };
}

/**
 * Records in the manifest which conversation the tool of a terminal has, so that it can continue it when it is started again.
 * @param report called if it cannot be recorded.
 */
export function noteConversation(
  path: string,
  manifest: () => Manifest,
  report: (fault: string) => void,
): (fact: SelfReportFact) => void {
  let open: OpenConversation | null = null;
  return (fact) => {
    const before = open;
    open = conversationAfter(open, fact);
    if (open === before || !open?.begun) return;
    try {
      if (lastConversationOf(manifest()) !== open.id) patchConversation(path, open.id);
    } catch (error) {
      report(`the conversation in the terminal could not be recorded: ${(error as Error).message}`);
    }
  };
}
