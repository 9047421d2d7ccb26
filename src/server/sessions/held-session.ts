import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { AgentTarget } from '../../agent/target/agent-target.js';
import type { Clock } from '../../foundation/clock.js';
import { OneAtATime, Waiters } from '../../foundation/concurrency.js';
import { FolderWatch } from '../../foundation/folders.js';
import { GatewayPresence } from '../../launch/live-gateway.js';
import { readManifest } from '../../session/manifest.js';
import { attachIdentityOf } from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { SessionPaths } from '../../session/session-paths.js';
import {
  ownershipRequestOfAnother,
  requestOwnership,
  TurnOwnership,
  withdrawOwnershipRequest,
} from '../../turn/turn-ownership.js';
import { OwnedSession } from './owned-session.js';
import { ParkedReader, type SessionRecords } from './session-records.js';

// The owner of the turns of a session, as the server sees it:
//
//   elsewhere or none ──a turn is to begin here, or was left──▶ owned
//           ▲                                                    │
//           └──another process requests it, a quiet time, the end of the server──┘
//
// While it is owned, the store is open for writing, and the server gives way to another process as soon as that process requests
// the ownership (turn-ownership.ts). Otherwise records are only read.

/**
 * The time after which a session without a running turn is given back. It is long because each opening leaves some kB behind
 * (foundation/open-database.ts), and may be: a process that requests the session gets it without waiting for this.
 */
const quietMilliseconds = 3_600_000;
/** The time after which a missed change of the folder is seen. */
const requestCheckMilliseconds = 1000;

export interface HeldParts {
  paths: SessionPaths;
  /**
   * Whether this server alone runs the turns. It then has records of its own, and a gateway, if there is one, forwards its
   * prompts to the server (turn-runner.ts).
   */
  alone: boolean;
  /**
   * Makes the target when the first turn is to begin or to be adopted; it is kept.
   * @throws {UnusableFile}
   */
  targetOf: (manifest: Manifest) => AgentTarget;
  clock: Clock;
  print: (line: string) => void;
}

/** The session of one agent: its records, and, while no gateway owns them, its turns. */
export class HeldSession {
  readonly paths: SessionPaths;
  readonly alone: boolean;
  readonly #parts: HeldParts;
  readonly #gateway: GatewayPresence;
  readonly #reader: ParkedReader;
  readonly #changing = new OneAtATime();
  readonly #waiters = new Waiters();
  #target: AgentTarget | null = null;
  #owned: OwnedSession | null = null;
  #ownership: TurnOwnership | null = null;
  #using = 0;
  #unused: (() => void) | null = null;
  #lastUse = 0;
  #lastRead = 0;
  #giving = new AbortController();
  #closed = false;

  constructor(parts: HeldParts) {
    this.#parts = parts;
    this.paths = parts.paths;
    this.alone = parts.alone;
    this.#gateway = new GatewayPresence(parts.paths);
    this.#reader = new ParkedReader(parts.paths.queue);
  }

  /** The turn that runs here now. */
  get liveTurnId(): string | null {
    return this.#owned?.turns.liveTurnId ?? null;
  }

  get owns(): boolean {
    return this.#owned !== null;
  }

  /** The number of callers that wait for the end of a turn that runs here. */
  get waiting(): number {
    return this.#waiters.count;
  }

  /** Whether the process of a gateway exists that may own the turns; it may be about to end. */
  get hasGateway(): boolean {
    return !this.alone && this.#gateway.isPresent;
  }

  /**
   * @param nothing the result for a session without any record.
   * @throws {RecordsUnreadable}
   */
  read<T>(work: (records: SessionRecords) => T, nothing: T): T {
    this.#lastRead = this.#parts.clock.monotonic();
    return this.#owned ? work(this.#owned.records) : this.#reader.read(work, nothing);
  }

  /**
   * Runs `work` with the session as its owner.
   * @returns null when another process owns it, or is about to.
   * @throws {UnusableFile} when the session cannot be used.
   */
  async use<T>(work: (owned: OwnedSession) => Promise<T>): Promise<T | null> {
    const owned = await this.#changing.run(() => this.#own());
    if (!owned) return null;
    this.#using += 1;
    try {
      return await work(owned);
    } finally {
      this.#using -= 1;
      this.#lastUse = this.#parts.clock.monotonic();
      if (this.#using === 0) this.#unused?.();
    }
  }

  /**
   * Takes over the turn that a former owner left.
   * @throws {RecordsUnreadable}
   * @throws {UnusableFile}
   */
  async settle(): Promise<void> {
    if (this.#owned || this.#closed || this.hasGateway) return;
    if (this.read((records) => records.running(), null) === null) return;
    await this.use(async () => undefined);
  }

  /**
   * Ends the gateway of the session, and goes on with its turn. Where that turn cannot be read, the gateway has ended
   * nevertheless, so the fault is only printed.
   * @param end ends the gateway.
   */
  async takeOver<T>(end: () => Promise<T>): Promise<T> {
    if (this.alone || !existsSync(this.paths.run)) return end();
    requestOwnership(this.paths.run);
    try {
      return await end();
    } finally {
      withdrawOwnershipRequest(this.paths.run);
      await this.settle().catch((error: Error) =>
        this.#parts.print(`${this.paths.root}: its turns are not known: ${error.message}`),
      );
    }
  }

  /** Closes the reader, unless it was used within that time. */
  rest(milliseconds: number): void {
    if (this.#parts.clock.monotonic() - this.#lastRead >= milliseconds) this.#reader.close();
  }

  /** Resolves when the turn has ended, after `milliseconds`, or when the caller goes away. Only for turns that run here. */
  async ended(turnId: string, milliseconds: number, gone: AbortSignal): Promise<void> {
    await this.#waiters.wait(turnId, milliseconds, gone);
  }

  /** Leaves the running turn and gives the turns back; the files are closed then. */
  async giveWay(): Promise<void> {
    await this.#changing.run(() => this.#disown());
  }

  /** Like {@link giveWay}, for good. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.giveWay();
    this.#waiters.releaseAll();
    this.#reader.close();
  }

  async #own(): Promise<OwnedSession | null> {
    const { paths, clock, print } = this.#parts;
    if (this.#closed) return null;
    if (ownershipRequestOfAnother(paths.run)) {
      await this.#disown();
      return null;
    }
    if (this.#owned) return this.#owned;
    const manifest = readManifest(paths.manifest);
    this.#target ??= this.#parts.targetOf(manifest);
    const ownership = TurnOwnership.take(paths.run, 'houmao-server', true);
    if (!ownership) return null;
    // This process has to close its reader before it opens the same file for writing.
    this.#reader.close();
    try {
      this.#owned = await OwnedSession.open({
        paths,
        ownership,
        clock,
        print,
        target: this.#target,
        tool: manifest.tool,
        identity: attachIdentityOf(manifest, basename(paths.root)),
        blocked: () => isBlocked(paths),
        waiters: this.#waiters,
      });
    } catch (error) {
      ownership.release();
      throw error;
    }
    this.#ownership = ownership;
    this.#lastUse = clock.monotonic();
    this.#giving = new AbortController();
    this.#watch(this.#giving.signal).catch((error: Error) =>
      print(`${paths.root} could not be watched: ${error.message}`),
    );
    return this.#owned;
  }

  async #disown(): Promise<void> {
    const owned = this.#owned;
    if (!owned) return;
    this.#giving.abort();
    // Prompts that are on their way get the answer that the turn was left.
    const left = owned.turns.leaveRunning();
    if (this.#using > 0) await new Promise<void>((resolve) => (this.#unused = resolve));
    this.#unused = null;
    try {
      await left;
      await owned.leave();
    } finally {
      // A session that is closed, or half closed, cannot be read or used any more.
      this.#owned = null;
      this.#ownership?.release();
      this.#ownership = null;
    }
  }

  /** Gives way to a process that requests the turns, and gives a quiet session back. */
  async #watch(enough: AbortSignal): Promise<void> {
    const { paths, clock } = this.#parts;
    const folder = new FolderWatch([paths.run], clock, requestCheckMilliseconds);
    try {
      while (!enough.aborted) {
        await folder.change(enough);
        if (enough.aborted) return;
        const quiet = this.liveTurnId === null && this.#using === 0;
        const over = quiet && clock.monotonic() - this.#lastUse > quietMilliseconds;
        if (over || ownershipRequestOfAnother(paths.run)) {
          await this.giveWay();
          return;
        }
      }
    } finally {
      folder.close();
    }
  }
}

/** Decides whether the last gateway reported that the agent was replaced, and its queued work is not settled. */
function isBlocked({ state }: SessionPaths): boolean {
  try {
    const { request_admission } = JSON.parse(readFileSync(state, 'utf8')) as { request_admission?: unknown };
    return request_admission === 'blocked_reconciliation';
  } catch {
    return false;
  }
}
