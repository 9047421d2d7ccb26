import { findAgentTmux } from '../../agent/local/agent-place.js';
import { LocalTerminalTarget } from '../../agent/local-terminal/local-terminal-target.js';
import type { AgentTarget } from '../../agent/target/agent-target.js';
import type { AgentTerminal } from '../../agent/target/agent-terminal.js';
import type { Clock } from '../../foundation/clock.js';
import { WakefulLoop } from '../../foundation/concurrency.js';
import { unlessUnusable } from '../../foundation/faults.js';
import { GatewayPresence } from '../../launch/live-gateway.js';
import { readManifest } from '../../session/manifest.js';
import { tmuxSocketOf } from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { type SessionPaths, sessionPaths } from '../../session/session-paths.js';
import type { TerminalSource } from '../../terminal/terminal-source.js';
import { FoundSource, SharedTmux } from '../../terminal/terminal-sources.js';
import { TerminalWatch } from '../../terminal/terminal-watch.js';
import type { Tmux } from '../../terminal/tmux.js';
import { serverOf } from '../../terminal/tmux-servers.js';
import type { TerminalState } from '../../terminal/tracker/terminal-state.js';
import { TerminalTracker } from '../../terminal/tracker/terminal-tracker.js';
import type { TrackerTimings } from '../../terminal/tracker/tracker-timings.js';
import { rowsRead, toStyledRows } from '../../tools/screen/styled-rows.js';
import { screensOf, toolProcessNames } from '../../tools/terminal-registry.js';

// The terminal of one agent, as this server observes it:
//
//   unknown ──the agent is listed, or requested──▶ watched ◀──the gateway ends──▶ parked ──the agent goes──▶ unknown
//                                                     └──a live gateway owns the session──┘
//
// A parked terminal is observed only on request; its last known state stays.

/** The number of snapshots that are kept: a gateway keeps the history of its agent's terminal; here only the latest counts. */
const mostSnapshots = 1;
/** The interval of observations without an event: the output of an agent makes events, other changes make none. */
const recheckMilliseconds = 5000;
/** The interval at which a manifest that cannot be read is tried again. */
const manifestAgainMilliseconds = 5000;

export interface TerminalsParts {
  tmux: Tmux;
  environment: NodeJS.ProcessEnv;
  clock: Clock;
  timings: TrackerTimings;
  report: (fault: string) => void;
}

/** The part of an agent that says which terminal it has. */
export interface TerminalOwner {
  readonly trackedAgentId: string;
  readonly transport: 'tui' | 'headless';
  readonly tool: string;
  readonly tmuxSessionName: string | null;
  readonly sessionRoot: string | null;
}

/** The terminal of an agent of this host, for observation. It is not watched while a live gateway owns the session. */
export type SeenTerminal = Pick<AgentTerminal, 'watched' | 'toolVersion' | 'seenWithin'>;

interface Kept {
  readonly presence: GatewayPresence | null;
  readonly terminal: SeenTerminal & Pick<AgentTerminal, 'start' | 'rest' | 'stop'>;
  /** The target of that terminal; null where the manifest cannot be read, or names another kind of agent. */
  readonly target: AgentTarget | null;
  /** The time at which the manifest is tried again; null when it need not be. */
  readonly tryAgainAt: number | null;
}

/**
 * Watches the terminals of all agents of this host that no live gateway watches, over one connection to each tmux server. A
 * terminal is watched once, for its observers and for the prompts that it gets, so that both have the same facts.
 */
export class Terminals {
  readonly #parts: TerminalsParts;
  /** By socket; null is the server of `parts.tmux`. */
  readonly #shared = new Map<string | null, SharedTmux>();
  readonly #kept = new Map<string, Kept>();
  readonly #gatewayChecks: WakefulLoop;
  /** The stops of terminals that are under way. */
  readonly #ending = new Set<Promise<void>>();
  #closed = false;

  constructor(parts: TerminalsParts) {
    this.#parts = parts;
    const { clock, timings } = parts;
    const pause = timings.watchPollIntervalSeconds * 1000;
    this.#gatewayChecks = new WakefulLoop({
      step: async () => {
        for (const kept of this.#kept.values()) this.#giveOrTake(kept);
        return this.#kept.size === 0 ? WakefulLoop.untilWoken : pause;
      },
      fault: (error) => {
        parts.report(`it could not be found out which terminals a gateway watches: ${error.message}`);
        return pause;
      },
      clock,
    });
    this.#gatewayChecks.start();
  }

  /** Watches the terminals of these agents and of no others. */
  keep(agents: readonly TerminalOwner[]): void {
    const keys = new Set(agents.flatMap((agent) => keyOf(agent) ?? []));
    for (const [key, kept] of this.#kept) if (!keys.has(key)) this.#drop(key, kept);
    for (const agent of agents) this.#of(agent);
  }

  /**
   * Returns the target for prompts, keys and interrupts: the same object as long as the agent is listed. A caller that begins
   * or adopts turns with it holds the {@link TurnOwnership} of its session. Its terminal is started and stopped here only.
   * @returns null for an agent that runs in no terminal of this machine, and for one whose manifest cannot be read.
   */
  targetOf(agent: TerminalOwner): AgentTarget | null {
    return this.#of(agent)?.target ?? null;
  }

  /**
   * Returns the terminal even of an agent whose manifest cannot be read, or that has none.
   * @param agent one in a terminal.
   */
  seen(agent: TerminalOwner): SeenTerminal {
    const kept = this.#of(agent);
    if (!kept) throw new Error(`${agent.trackedAgentId} is headless, or the terminals were left.`);
    return kept.terminal;
  }

  /**
   * Returns whether the tmux session of an agent exists.
   * @throws {TmuxFault} when that cannot be determined.
   */
  async hasSession(manifest: Manifest): Promise<boolean> {
    const shared = this.#sharedAt(tmuxSocketOf(manifest));
    if (await shared.hasSession(manifest.tmux_session_name ?? '')) return true;
    return (await findAgentTmux(manifest, this.#parts.tmux)) !== null;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#gatewayChecks.stop();
    for (const [key, kept] of this.#kept) this.#drop(key, kept);
    await Promise.all(this.#ending);
    await Promise.all([...this.#shared.values()].map((shared) => shared.close()));
  }

  #of(agent: TerminalOwner): Kept | null {
    const key = keyOf(agent);
    if (key === null || this.#closed) return null;
    const before = this.#kept.get(key);
    const again = before?.tryAgainAt ?? null;
    if (before && (again === null || this.#parts.clock.monotonic() < again)) return before;
    const kept = this.#make(agent);
    if (before) {
      if (kept.target === null) return this.#waitOn(key, before);
      this.#drop(key, before);
    }
    this.#kept.set(key, kept);
    this.#giveOrTake(kept);
    this.#gatewayChecks.wake();
    return kept;
  }

  /** Keeps what is known of a terminal whose manifest still cannot be read, and sets the time of the next try. */
  #waitOn(key: string, before: Kept): Kept {
    const kept = { ...before, tryAgainAt: this.#parts.clock.monotonic() + manifestAgainMilliseconds };
    this.#kept.set(key, kept);
    return kept;
  }

  #make(agent: TerminalOwner): Kept {
    const { clock, timings, report } = this.#parts;
    const paths = agent.sessionRoot === null ? null : sessionPaths(agent.sessionRoot);
    const presence = paths && new GatewayPresence(paths);
    const manifest = paths && unlessUnusable(() => readManifest(paths.manifest));
    if (paths && manifest?.backend === 'local_interactive') {
      const target = this.#local(manifest, paths, agent);
      return { presence, terminal: target.terminal, target, tryAgainAt: null };
    }
    const tmuxSession = agent.tmuxSessionName ?? agent.trackedAgentId;
    const terminal = new BareTerminal({
      tool: agent.tool,
      tmuxSession,
      source: this.#sourceOf(null),
      timings,
      mostSnapshots,
      clock,
      report: (fault) => report(`${agent.trackedAgentId}: ${fault}`),
    });
    const tryAgainAt = paths && !manifest ? clock.monotonic() + manifestAgainMilliseconds : null;
    return { presence, terminal, target: null, tryAgainAt };
  }

  #local(manifest: Manifest, paths: SessionPaths, agent: TerminalOwner): LocalTerminalTarget {
    const { tmux, environment, clock, timings, report } = this.#parts;
    return new LocalTerminalTarget(
      manifest,
      paths,
      { clock, environment, tmux },
      {
        timings,
        changed: () => undefined,
        report: (fault) => report(`${agent.trackedAgentId}: ${fault}`),
        limits: {
          source: this.#sourceOf(tmuxSocketOf(manifest)),
          mostSnapshots,
          recheckMilliseconds,
        },
      },
    );
  }

  /** @param socketPath of the server that has the session; null where it has to be searched for. */
  #sourceOf(socketPath: string | null): TerminalSource {
    const { tmux } = this.#parts;
    return socketPath === null
      ? new FoundSource(async (session) => {
          const found = await serverOf(tmux, session, null).catch(() => null);
          return this.#sharedAt(found?.socketPath ?? null);
        })
      : this.#sharedAt(socketPath);
  }

  #sharedAt(socketPath: string | null): SharedTmux {
    const { tmux, clock, timings } = this.#parts;
    const known = this.#shared.get(socketPath);
    if (known) return known;
    const shared = new SharedTmux({
      tmux: socketPath === null ? tmux : tmux.at(socketPath),
      clock,
      pollSeconds: timings.watchPollIntervalSeconds,
    });
    this.#shared.set(socketPath, shared);
    return shared;
  }

  /** Parks a terminal that a gateway watches, and watches one that no gateway watches. */
  #giveOrTake({ presence, terminal }: Kept): void {
    const parked = presence?.isPresent ?? false;
    if (parked && terminal.watched) this.#end(terminal.rest());
    else if (!parked && !terminal.watched) terminal.start();
  }

  #drop(key: string, { terminal }: Kept): void {
    this.#kept.delete(key);
    this.#end(terminal.stop());
  }

  #end(work: Promise<void>): void {
    const ending = work
      .catch((error: Error) => this.#parts.report(`a terminal could not be left: ${error.message}`))
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

const keyOf = ({ transport, trackedAgentId, sessionRoot }: TerminalOwner): string | null =>
  transport === 'tui' ? `${trackedAgentId} ${sessionRoot ?? ''}` : null;

interface BareTerminalParts {
  tool: string;
  tmuxSession: string;
  source: TerminalSource;
  timings: TrackerTimings;
  mostSnapshots: number;
  clock: Clock;
  report: (fault: string) => void;
}

/** A terminal of which only name and tool are known: it is observed, and nothing is typed into it. */
class BareTerminal {
  readonly #watch: TerminalWatch;

  constructor({ tool, tmuxSession, source, timings, mostSnapshots, clock, report }: BareTerminalParts) {
    this.#watch = new TerminalWatch({
      session: tmuxSession,
      recorded: () => null,
      source,
      tracker: new TerminalTracker({
        tool,
        screens: screensOf(tool),
        version: null,
        timings,
        clock,
        mostSnapshots,
        rowsOf: (text) => toStyledRows(text, rowsRead),
      }),
      toolNames: toolProcessNames(tool, tool),
      clock,
      report,
      saw: () => undefined,
      heard: () => undefined,
      changed: () => undefined,
    });
  }

  get toolVersion(): null {
    return null;
  }
  get watched(): boolean {
    return this.#watch.watching;
  }
  seenWithin(milliseconds: number): Promise<TerminalState> {
    return this.#watch.seenWithin(milliseconds);
  }
  start(): void {
    this.#watch.start();
  }
  rest(): Promise<void> {
    return this.#watch.rest();
  }
  stop(): Promise<void> {
    return this.#watch.stop();
  }
}
