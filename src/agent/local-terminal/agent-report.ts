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
  /** Null for a tool that says nothing of itself. */
  tool: ToolName | null;
  /** Where its hooks write; null when it was launched without. */
  hooks: HookFile | null;
  clock: Clock;
  /** Called when the agent said something. */
  heard: () => void;
  /** Each fault that keeps something from being read, once. It holds nothing of the conversation. */
  report: (fault: string) => void;
  /** How long a change that makes no event goes unseen at most; null for the usual time. */
  lookAgainMilliseconds?: number | null;
}

export type Listener = (fact: SelfReportFact) => void;

/** A listener that is told what was written since a mark, as soon as there is an agent to follow. */
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

/** What the agent in a terminal says of itself, whichever process it is: it may be started anew at any time. */
export class AgentReport {
  readonly #parts: AgentReportParts;
  readonly #listeners = new Set<Listener>();
  readonly #catchingUp = new Set<CatchingUp>();
  readonly #closing = new Set<Promise<void>>();
  #followed: Followed | null = null;
  #said: SaidState | null = null;
  #asking: SaidState | null = null;
  #left = new AbortController();
  #title = '';
  #sequences = new OscSequences();

  constructor(parts: AgentReportParts) {
    this.#parts = parts;
  }

  /** Null while it says nothing of its state. */
  get said(): SaidState | null {
    return saidAt(this.#said, this.#asking, this.#parts.clock.monotonic());
  }

  /** Whether files of the agent are followed. That there is no row in them still proves nothing. */
  get follows(): boolean {
    return this.#followed !== null;
  }

  /** Whether it was launched with hooks of ours. */
  get hooked(): boolean {
    return this.#parts.hooks !== null;
  }

  /** Takes what a look at the pane found: the tool's process, and the title of the pane. */
  saw(tool: TreeProcess | null, title: string): void {
    const process = tool && identify(tool.pid);
    if (!tool || !process) this.#leave();
    else if (!isSame(this.#followed?.process, process)) this.#follow(tool, process);
    if (title === this.#title || !this.#followed) return;
    this.#title = title;
    const fact = this.#report?.readOsc({ code: 2, text: title });
    if (fact) this.#tell(fact);
  }

  /** Takes what the agent wrote to its terminal, as tmux escapes it: some agents tell their state in it. */
  wrote(data: string): void {
    if (!this.#followed || !(this.#sequences.inside || mayHoldSequence.test(data))) return;
    for (const sequence of this.#sequences.take(unescaped(data))) {
      const fact = this.#report?.readOsc(sequence);
      if (!fact) continue;
      this.#tell(fact);
      this.#parts.heard();
    }
  }

  /** How far its files were read by now; null where none are. */
  async mark(): Promise<ReportMark | null> {
    return (await this.#followed?.reporter.mark()) ?? null;
  }

  /**
   * Tells a listener everything from now on, and before that what was written since the mark of an earlier owner.
   * @returns ends that.
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
    this.#followed = { process, agent, reporter: this.#reporter(agent, null, (fact) => this.#tell(fact)) };
    for (const catching of this.#catchingUp) this.#catchUp(catching, agent);
  }

  #reporter(agent: ReportingAgent, from: ReportMark | null, tell: Listener): SelfReporter {
    const { tool, hooks, clock, report, lookAgainMilliseconds = null } = this.#parts;
    if (tool === null) throw new Error('A tool that says nothing of itself is not followed.');
    const { binder: own, hooks: events } = toolSelfReport(tool);
    const files = own(agent, clock);
    const binder = hooks === null ? files : new HookedBinder(files, hooks, events, agent.conversation);
    const listener: Listener = (fact) => {
      tell(fact);
      this.#parts.heard();
    };
    return new SelfReporter({
      binder,
      clock,
      from,
      tell: listener,
      fault: report,
      lookAgainMilliseconds,
    });
  }

  /** Once: a tool that is started anew later has other files. */
  #catchUp(catching: CatchingUp, agent: ReportingAgent): void {
    catching.reporter ??= this.#reporter(agent, catching.from, catching.listener);
  }

  #leave(): void {
    if (this.#followed) this.#close(this.#followed.reporter);
    this.#followed = null;
    this.#left.abort();
    this.#left = new AbortController();
    this.#said = null;
    this.#asking = null;
    this.#title = '';
    this.#sequences = new OscSequences();
  }

  #close(reporter: SelfReporter): void {
    const closing = reporter.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #tell(fact: SelfReportFact): void {
    if (fact.kind === 'state') this.#said = this.#since(fact);
    else if (fact.kind === 'asking') this.#ask(fact);
    for (const listener of this.#listeners) listener(fact);
  }

  /** Who waits for the agent is woken when this counts no longer. */
  #ask({ waitingFor, evidence }: AskingFact): void {
    this.#asking = this.#since({ state: 'waiting', waitingFor: `permission for ${waitingFor}`, evidence });
    const { signal } = this.#left;
    void this.#parts.clock.sleep(aheadMilliseconds, signal).then(() => {
      if (!signal.aborted) this.#parts.heard();
    });
  }

  #since({ state, waitingFor, evidence }: Omit<SaidState, 'since'>): SaidState {
    return { state, waitingFor, evidence, since: this.#parts.clock.monotonic() };
  }
}

/** An OSC sequence begins, or may begin in what comes next. */
const mayHoldSequence = /\\033(?:\]|$)/;

const isSame = (one: ProcessIdentity | undefined, other: ProcessIdentity): boolean =>
  one?.pid === other.pid && one.startedAt === other.startedAt;

/** The conversation that the command line asked for; null when it left that to the tool. */
export function conversationOf(args: readonly string[]): string | null {
  for (const option of ['--session-id', '--resume']) {
    const at = args.indexOf(option);
    const value =
      at === -1 ? args.find((arg) => arg.startsWith(`${option}=`))?.slice(option.length + 1) : args[at + 1];
    if (value && !value.startsWith('-') && value !== 'latest') return value;
  }
  return null;
}

/** What the agent said last of its state. */
export interface SaidState {
  state: AgentState;
  waitingFor: string | null;
  evidence: string;
  /** Since when, in milliseconds of a monotonic clock. */
  since: number;
}

/** By then the screen of each tool shows what a hook told of: that of Codex, the latest, after one second. */
export const aheadMilliseconds = 2000;

/**
 * Pure: the state that counts. What a hook says is ahead of everything else and has no end, so it counts for a moment only, and
 * not against what the tool says later, nor against a tool that says that it is idle.
 *
 * @param lasting what the tool said last by a sign that tells of ends too.
 * @param asking what a hook said last.
 */
export function saidAt(lasting: SaidState | null, asking: SaidState | null, now: number): SaidState | null {
  if (asking === null || now - asking.since >= aheadMilliseconds) return lasting;
  if (lasting === null) return asking;
  return lasting.state === 'busy' && lasting.since <= asking.since ? asking : lasting;
}

/** A conversation that the tool has open. @property begun whether a prompt has been in it: before, no tool can go on with it. */
export interface OpenConversation {
  readonly id: string;
  readonly begun: boolean;
}

/** Pure: the conversation in a terminal after the agent has said something of itself. */
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
 * Notes in the manifest which conversation the tool of a terminal has, so that it can go on with it when it is started again.
 * @param report called where it cannot be noted.
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
