import { type AgentResources, LocalHeadlessTarget } from '../../agent/local/local-headless.js';
import {
  LocalTerminalTarget,
  type TerminalOptions,
} from '../../agent/local-terminal/local-terminal-target.js';
import { ManagedHeadlessTarget } from '../../agent/remote/managed-headless-target.js';
import { managedAuthorityOf } from '../../agent/remote/peer-authority.js';
import { RestTerminalTarget } from '../../agent/remote/rest-terminal-target.js';
import {
  type AgentInspection,
  type AgentTarget,
  notConnected,
  type PromptRefusal,
} from '../../agent/target/agent-target.js';
import { type EventFollower, EventStore } from '../../events/event-store.js';
import { toEventLine, toLogLine } from '../../events/read-event.js';
import type { Clock } from '../../foundation/clock.js';
import type { Waiters } from '../../foundation/concurrency.js';
import type { LogKeeping } from '../../foundation/set-aside.js';
import type { StopOutcome } from '../../run/running-turn.js';
import { keepingFile, logKeepingOf } from '../../session/keeping.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { queueStore, type SessionPaths } from '../../session/session-paths.js';
import type { TableSchema } from '../../storage/store.js';
import { adapterForBackend } from '../../tools/tool-registry.js';
import { LatePrompts } from '../../turn/late-prompts.js';
import { ExecutionSlot, type TurnCompanion } from '../../turn/live-turn.js';
import type { TurnOwnership } from '../../turn/turn-ownership.js';
import { TurnService } from '../../turn/turn-service.js';
import { type TurnRow, TurnTable } from '../../turn/turn-table.js';
import { DirectPrompts, SessionOverride } from '../direct-prompt.js';
import type { DispatchParts } from '../dispatch-parts.js';
import { type AxesSource, type OwnAxes, WatchedAxes } from '../readiness.js';
import { rowSchemas } from './queue-tables.js';
import { adoptRunning, recover } from './recovery.js';
import { RequestJournal } from './request-journal.js';

// A session in a program that runs its turns: the target for its agent, its store, and the runtime over both.

/** Returns the target for the kind of agent that a manifest describes. */
export function chooseTarget(
  manifest: Manifest,
  paths: SessionPaths,
  surroundings: AgentResources,
  terminal: TerminalOptions,
): AgentTarget {
  const { clock } = surroundings;
  const { backend } = manifest;
  if (backend === 'cao_rest' || backend === 'houmao_server_rest') return new RestTerminalTarget(paths, clock);
  if (backend === 'local_interactive')
    return new LocalTerminalTarget(manifest, paths, surroundings, terminal);
  const adapter = adapterForBackend(backend);
  if (!adapter) return new UnbuiltTarget(backend);
  // Without an agent definition on this machine, only the server that the manifest names can run the agent.
  return managedAuthorityOf(manifest) && !manifest.runtime.agent_def_dir
    ? new ManagedHeadlessTarget(paths, adapter, clock)
    : new LocalHeadlessTarget(paths, adapter, surroundings);
}

/** Stands in for an agent of a kind that this release cannot drive yet. It is never connected and takes no prompts. */
class UnbuiltTarget implements AgentTarget {
  readonly capabilities = { prompts: 'unbuilt', keys: 'none', screen: 'none' } as const;
  readonly remote = false;
  readonly interactive = false;
  readonly terminal = null;
  readonly #detail: string;

  constructor(backend: string) {
    this.#detail = `Agents of backend ${backend} cannot be driven by this release.`;
  }

  async inspect(): Promise<AgentInspection> {
    return notConnected(this.#detail);
  }
  resolve(): PromptRefusal {
    return { code: 'unavailable', detail: this.#detail };
  }
  check(): null {
    return null;
  }
  adopt(): null {
    return null;
  }
  async interrupt(): Promise<StopOutcome> {
    return { outcome: 'no_op' };
  }
  settle(): void {}
}

/** The store and the events of a session, as each program that writes there opens them. */
interface SessionStoreParts {
  paths: SessionPaths;
  /** The tables beside those of the events; {@link rowSchemas} by default, which every owner of the turns has. */
  schemas?: readonly TableSchema[];
  /** The program that writes, for the messages about faults. */
  program: 'gateway' | 'server';
  clock: Clock;
  /** Prints faults that must be seen even when nothing can be stored. */
  print: (line: string) => void;
  followers?: readonly EventFollower[];
  /** How long the files grow that follow the events; by default as the session's file says. */
  keeping?: LogKeeping;
  /** Called after each commit. */
  committed?: () => void;
  /** Called when a fault of the store began or ended. */
  faultChanged?: () => void;
}

/** @throws {UnusableFile} when the database cannot be used. */
export const openSessionStore = (parts: SessionStoreParts): EventStore =>
  new EventStore({
    name: queueStore(parts.paths, parts.program),
    schemas: parts.schemas ?? rowSchemas,
    files: [
      { name: 'events.jsonl', path: parts.paths.events, lineOf: toEventLine },
      { name: 'gateway.log', path: parts.paths.log, lineOf: toLogLine },
    ],
    keeping: parts.keeping ?? logKeepingOf(keepingFile.readIfUsable(parts.paths.keeping)),
    followers: parts.followers ?? [],
    committed: parts.committed ?? (() => undefined),
    faultChanged: parts.faultChanged ?? (() => undefined),
    clock: parts.clock,
    print: parts.print,
  });

interface SessionRuntimeParts {
  paths: SessionPaths;
  /** The store, opened by {@link openSessionStore}. */
  events: EventStore;
  target: AgentTarget;
  clock: Clock;
  /** The session's attach identity. */
  identity: string;
  /** Name of the agent's tool, for the record of its turns. */
  tool: string;
  /** The right to run the turns of the session; the caller that took it gives it back. */
  ownership: TurnOwnership;
  /** Returns the axes that only the owner of the session knows. */
  ownAxes: (queue: RequestJournal) => OwnAxes;
  /** Called after each inspection of the agent, before those continue that wait for it. */
  inspected?: (seen: AgentInspection) => Promise<void>;
  /** Whether turns go on when this process dies, so that the next owner adopts them. */
  outlive: boolean;
  /** Woken with the id of a turn when its end is on disk. */
  waiters: Waiters;
  /** Called when the slot was taken or freed. */
  slotChanged?: () => void;
}

/**
 * Everything that runs the turns of one session in the process that owns them, a gateway or a server: the store and its
 * events, the tables, the slot, the agent, and what hands prompts to it.
 */
export class SessionRuntime {
  readonly events: EventStore;
  readonly queue: RequestJournal;
  readonly turnTable: TurnTable;
  readonly slot: ExecutionSlot;
  readonly target: AgentTarget;
  readonly axes: AxesSource;
  readonly turns: TurnService;
  readonly override = new SessionOverride();
  readonly prompts: DirectPrompts;
  /** For the queue's worker, reminders and the notifier. */
  readonly dispatch: DispatchParts;
  readonly #latePrompts: LatePrompts | null;
  readonly #parts: SessionRuntimeParts;

  constructor(parts: SessionRuntimeParts) {
    const { events, target, clock, waiters, ownership, outlive, tool } = parts;
    this.#parts = parts;
    this.events = events;
    this.target = target;
    const { store, journal } = events;
    const report = (fault: string): void => events.report(fault);
    this.queue = new RequestJournal(store, journal);
    this.turnTable = new TurnTable(store);
    this.slot = new ExecutionSlot(parts.slotChanged ?? (() => undefined));
    const { queue, slot, turnTable: table } = this;
    const { terminal } = target;
    this.#latePrompts = terminal && new LatePrompts({ table, journal, clock, terminal, report });
    this.axes = new WatchedAxes({
      target,
      slot,
      storage: events.watch,
      clock,
      own: () => parts.ownAxes(queue),
      inspected: parts.inspected ?? (async () => undefined),
    });
    this.turns = new TurnService({
      ownership,
      target,
      journal,
      table,
      slot,
      clock,
      report,
      outlive,
      ended: (turnId) => {
        waiters.wake(turnId);
        this.#latePrompts?.look();
      },
    });
    this.dispatch = { journal, axes: this.axes, slot, turns: this.turns, target, tool, clock };
    this.prompts = new DirectPrompts({ ...this.dispatch, override: this.override });
  }

  /**
   * Settles the work that an earlier owner left, before anything else runs: adopts the turn that goes on
   * (docs/decisions.md#left-running), removes prompts that stand in the composer, and ends everything else.
   * @param restOfReminder returns the reminder's part in a turn that delivers one. Left out by a process that has no
   *   reminders: their gateway reads the turn's record.
   */
  async settle(
    restOfReminder?: (turnId: string) => Pick<TurnCompanion, 'delivered' | 'ended'> | null,
  ): Promise<void> {
    const { turnTable: table, turns, queue, target } = this;
    const { journal } = this.events;
    const { paths, identity, clock, waiters, outlive } = this.#parts;
    const [running] = table.running();
    // From here on the turn goes on even when this process dies.
    if (running && outlive) await journal.write(() => table.goingOn.note(running.turn_id));
    // A terminal that was not observed yet would count as gone.
    if (running) await target.terminal?.observe();
    adoptRunning({
      journal,
      table,
      turns,
      queue,
      waiters,
      goesOn: (turn) => this.#goesOn(turn),
      report: (fault) => this.events.report(fault),
      ...(restOfReminder && { restOfReminder }),
    });
    this.#latePrompts?.look();
    await recover({
      runsOn: ({ turn_id }) => turn_id === turns.liveTurnId,
      journal,
      turns: table,
      queue,
      clock,
      session: { identity, run: paths.run },
    });
  }

  #goesOn({ turn_id }: TurnRow): boolean {
    return this.#parts.outlive || this.target.interactive || this.turnTable.goingOn.has(turn_id);
  }
}
