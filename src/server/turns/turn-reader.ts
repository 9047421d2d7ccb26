import { readFileSync, statSync } from 'node:fs';
import { howToAsk } from '../../contract/refusals.js';
import type { Clock } from '../../foundation/clock.js';
import { returncodeOf } from '../../run/agent-exit.js';
import { storedError } from '../../run/record-error.js';
import { listArtifacts, type TurnArtifacts, turnArtifacts } from '../../session/session-paths.js';
import type { CanonicalEvent } from '../../tools/adapter/tool-adapter.js';
import type { StreamedTurn } from '../../turn/part-pages.js';
import { type PartsAnswer, type PartsWanted, TurnStreams } from '../../turn/turn-streams.js';
import type { TurnRow } from '../../turn/turn-table.js';
import { spokenName } from '../directory/agent-directory.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { SessionTurns, SessionTurnsReader, TurnFacts } from '../inspection/session-turns.js';
import type { HeldSession } from '../sessions/held-session.js';
import { RecordsUnreadable } from '../sessions/session-records.js';
import type { Sessions } from '../sessions/sessions.js';
import type { GatewayTurns } from './gateway-turns.js';
import { isRefused, refuse, sessionRefusal, type TurnRefusal } from './submissions.js';

/** A turn and its files. */
export interface FoundTurn {
  readonly row: TurnRow;
  readonly files: TurnArtifacts;
  /** Names of the files that exist, relative to the session root. */
  readonly artifacts: string[];
}

export interface TurnReaderParts {
  sessions: Sessions;
  gateways: GatewayTurns;
  clock: Clock;
}

/**
 * The pause where no gateway could be asked to wait: the session changes hands then, and soon a gateway can be asked, or
 * the turn is here.
 */
const againMilliseconds = 100;

/**
 * The largest size of a turn's events in one answer, because reading them makes every other caller wait; a larger file is
 * only given as it was written.
 */
const mostEventBytes = 64 * 1024 * 1024;

/** Reads turns, whichever program ran them, and waits for their ends. */
export class TurnReader {
  readonly #parts: TurnReaderParts;
  readonly #streams: TurnStreams;

  constructor(parts: TurnReaderParts) {
    this.#parts = parts;
    this.#streams = new TurnStreams(parts.clock);
  }

  /** Returns the turn as it is now, or once it has ended, or at the end of the wait. */
  async find(
    agent: ManagedAgent,
    turnId: string,
    seconds: number,
    signal: AbortSignal,
  ): Promise<FoundTurn | TurnRefusal> {
    const held = this.#parts.sessions.of(agent);
    if (!held) return unknownTurn(agent, turnId);
    try {
      // A turn that has ended is returned as it is on record, even when the session cannot be used now.
      let row = held.read((records) => records.turn(turnId), null);
      if (row?.state !== 'ended') {
        await held.settle();
        if (seconds > 0) await this.#wait(agent, held, turnId, seconds, signal);
        row = held.read((records) => records.turn(turnId), null);
      }
      if (!row) return notBegun(held, turnId) ?? neverBegan(held, turnId) ?? unknownTurn(agent, turnId);
      const files = turnArtifacts(held.paths, turnId);
      return { row, files, artifacts: listArtifacts(held.paths, turnId) };
    } catch (error) {
      return sessionRefusal(error, 'requests');
    }
  }

  /**
   * Returns the parts of a turn as they come.
   * @returns `read` for a stream that was read to its end.
   */
  async parts(
    agent: ManagedAgent,
    turnId: string,
    wanted: PartsWanted,
  ): Promise<Exclude<PartsAnswer, null> | TurnRefusal> {
    const found = await this.find(agent, turnId, 0, wanted.signal);
    if (isRefused(found)) return found;
    const held = this.#parts.sessions.of(agent);
    if (!held) return unknownTurn(agent, turnId);
    const find = (): StreamedTurn | null => {
      const row = held.read((records) => records.turn(turnId), null);
      return row && { row, parts: found.files.parts, artifacts: () => listArtifacts(held.paths, turnId) };
    };
    try {
      const parts = await this.#streams.answer({ key: found.files.directory, find }, wanted);
      return parts ?? unknownTurn(agent, turnId);
    } catch (error) {
      return sessionRefusal(error, 'requests');
    }
  }

  /** Returns the known events of a turn so far; none for a turn without a file of them. */
  async events(
    agent: ManagedAgent,
    turnId: string,
  ): Promise<{ turnIndex: number; events: CanonicalEvent[] } | TurnRefusal> {
    const found = await this.find(agent, turnId, 0, new AbortController().signal);
    if (isRefused(found)) return found;
    const path = found.files.canonicalEvents;
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > mostEventBytes) return tooManyEvents(turnId, size);
    const events = size === 0 ? [] : eventsIn(readFileSync(path, 'utf8'));
    return { turnIndex: found.row.turn_index, events };
  }

  async #wait(
    agent: ManagedAgent,
    held: HeldSession,
    turnId: string,
    seconds: number,
    gone: AbortSignal,
  ): Promise<void> {
    const { clock, gateways } = this.#parts;
    const deadline = clock.monotonic() + seconds * 1000;
    for (;;) {
      const left = deadline - clock.monotonic();
      if (left <= 0 || gone.aborted) return;
      const state = held.read((records) => records.turn(turnId)?.state ?? null, null);
      const queuedAs = state === null ? held.read((records) => records.waitingFor(turnId), null) : null;
      if (state === 'ended' || (state === null && queuedAs === null)) return;
      const seconds = Math.ceil(left / 1000);
      if (held.owns && queuedAs === null) await held.ended(turnId, left, gone);
      else {
        const asked = queuedAs
          ? await gateways.begun(agent, queuedAs, seconds, gone)
          : await gateways.ended(agent, turnId, seconds, gone);
        if (!asked) await clock.sleep(Math.min(againMilliseconds, left), gone);
      }
      await held.settle();
    }
  }
}

/** Parses the lines of events; a line that is just being written is left out. */
function eventsIn(text: string): CanonicalEvent[] {
  const events: CanonicalEvent[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    try {
      events.push(JSON.parse(line) as CanonicalEvent);
    } catch {
      // A turn that was killed leaves half a line.
    }
  }
  return events;
}

function notBegun(held: HeldSession, turnId: string): TurnRefusal | null {
  const requestId = held.read((records) => records.waitingFor(turnId), null);
  if (requestId === null) return null;
  const detail = `Turn \`${turnId}\` has not begun: its prompt waits as request \`${requestId}\`.`;
  return { ...refuse('no_turn', detail), requestId };
}

/** Explains the end of a prompt whose turn never began. */
function neverBegan(held: HeldSession, turnId: string): TurnRefusal | null {
  const ended = held.read((records) => records.endedFor(turnId), null);
  if (ended === null) return null;
  const { request_id, state, error_detail } = ended;
  const why = error_detail === null ? '' : ` (${error_detail})`;
  const detail = `Turn \`${turnId}\` never began: its request \`${request_id}\` is ${state}${why}.`;
  return { ...refuse('no_turn', detail), requestId: request_id };
}

const tooManyEvents = (turnId: string, bytes: number): TurnRefusal =>
  refuse(
    'unavailable',
    `The events of turn \`${turnId}\` take ${Math.ceil(bytes / 1024 / 1024)} MiB, too much for one answer; read …/turns/${turnId}/artifacts/stdout in parts.`,
  );

const unknownTurn = (agent: ManagedAgent, turnId: string): TurnRefusal =>
  refuse(
    'no_turn',
    `No turn \`${turnId.slice(0, 200)}\` of agent \`${spokenName(agent)}\`.${howToAsk(turnId)}`,
  );

const nothing: SessionTurns = { kind: 'known', running: null, newest: [], latestEnded: null };

/** Returns the reader of a session's turns for inspection. */
export const turnsOnRecord = (held: HeldSession): SessionTurnsReader => ({
  read: (limit) => {
    try {
      return held.read((records): SessionTurns => {
        const running = records.running();
        const latestEnded = records.latestEnded();
        return {
          kind: 'known',
          running: running && factsOf(running, records.interruptRequested(running.turn_id)),
          newest: records.newest(limit).map((row) => factsOf(row)),
          latestEnded: latestEnded && factsOf(latestEnded),
        };
      }, nothing);
    } catch (error) {
      if (error instanceof RecordsUnreadable) return { kind: 'unknown', detail: error.message };
      return { kind: 'unknown', detail: 'The records of the session cannot be read now.' };
    }
  },
});

const factsOf = (row: TurnRow, interruptRequestedAtUtc: string | null = null): TurnFacts => ({
  turnId: row.turn_id,
  turnIndex: row.turn_index,
  origin: row.origin,
  state: row.state,
  startedAtUtc: row.started_at_utc,
  endedAtUtc: row.ended_at_utc,
  outcome: row.outcome,
  returncode: returncodeOf(row.exit_code, row.signal),
  error: storedError(row.error_code, row.error_detail),
  interruptRequestedAtUtc,
});
