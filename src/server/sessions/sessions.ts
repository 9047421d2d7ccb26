import type { AgentTarget } from '../../agent/target/agent-target.js';
import type { Clock } from '../../foundation/clock.js';
import { fileSignature } from '../../foundation/folders.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { type SessionPaths, sessionPaths } from '../../session/session-paths.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import { HeldSession } from './held-session.js';
import { runsAlone, type ServerOrigins, serverManagedPaths } from './turn-runner.js';

/** The interval at which sessions are checked for a turn whose owner has died: nothing reports the death of a process. */
const orphanCheckMilliseconds = 2000;

export interface SessionsParts {
  /** The origins by which manifests name this server. */
  own: ServerOrigins;
  /**
   * Returns the target of an agent for the turns that this server runs.
   * @throws {UnusableFile}
   */
  targetOf: (agent: ManagedAgent, manifest: Manifest, paths: SessionPaths) => AgentTarget;
  clock: Clock;
  /** Prints faults to the log of the server. */
  print: (line: string) => void;
}

/**
 * The time after which a database that was not read is closed: a host may have a thousand agents. It is not shorter,
 * because each opening leaves some kB behind (foundation/open-database.ts), and programs that watch agents read every few
 * minutes.
 */
const readMilliseconds = 3_600_000;

/** The sessions of all agents of this host. A session is opened when it is first requested. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #held = new Map<string, HeldSession>();
  /** The signature of the manifest at the last check of which program runs the turns. */
  readonly #manifests = new WeakMap<HeldSession, string | null>();
  readonly #closing = new AbortController();
  /** The sessions that had a gateway at the last check. */
  readonly #guided = new Set<string>();

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  /** Returns the session of an agent; null for an agent that has no session root. */
  of(agent: ManagedAgent): HeldSession | null {
    const { sessionRoot } = agent;
    if (sessionRoot === null) return null;
    const known = this.#held.get(sessionRoot);
    const shared = sessionPaths(sessionRoot);
    const manifest = fileSignature(shared.manifest);
    // The patches of the manifest after each turn do not change which program runs the turns.
    if (known && (known.owns || this.#manifests.get(known) === manifest)) return known;
    const { own, clock, print } = this.#parts;
    const alone = agent.transport === 'headless' && runsAlone(shared, own, known?.alone ?? null);
    if (known?.alone === alone) {
      this.#manifests.set(known, manifest);
      return known;
    }
    known?.close().catch((error: Error) => print(`${sessionRoot}: ${error.message}`));
    const paths = alone ? serverManagedPaths(shared) : shared;
    const held = new HeldSession({
      paths,
      alone,
      clock,
      print,
      targetOf: (manifest) => this.#parts.targetOf(agent, manifest, paths),
    });
    this.#held.set(sessionRoot, held);
    this.#manifests.set(held, manifest);
    return held;
  }

  /**
   * Goes on with turns that an earlier server or a gateway left, now and whenever a gateway dies.
   * @param agents all agents of this host.
   */
  start(agents: readonly ManagedAgent[]): void {
    this.#takeOver(agents).catch((error: Error) => this.#parts.print(error.message));
  }

  /** Releases the session of an agent that was stopped. */
  async forget(agent: ManagedAgent): Promise<void> {
    const { sessionRoot } = agent;
    if (sessionRoot === null) return;
    const held = this.#held.get(sessionRoot);
    this.#held.delete(sessionRoot);
    this.#guided.delete(sessionRoot);
    await held?.close();
  }

  /** Leaves every turn running and closes everything. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#held.values()].map((held) => held.close()));
  }

  async #takeOver(agents: readonly ManagedAgent[]): Promise<void> {
    const { signal } = this.#closing;
    for (const agent of agents) {
      if (signal.aborted) return;
      const held = this.of(agent);
      if (!held) continue;
      await this.#settle(held);
      // Most sessions are not needed again soon.
      held.rest(0);
    }
    while (!signal.aborted) {
      await this.#parts.clock.sleep(orphanCheckMilliseconds, signal);
      for (const [root, held] of this.#held) {
        if (signal.aborted) return;
        if (held.owns) continue;
        held.rest(readMilliseconds);
        if (held.hasGateway) this.#guided.add(root);
        else if (this.#guided.delete(root)) await this.#settle(held);
      }
    }
  }

  async #settle(held: HeldSession): Promise<void> {
    await held
      .settle()
      .catch((error: Error) =>
        this.#parts.print(`${held.paths.root}: its turns are not known: ${error.message}`),
      );
  }
}
