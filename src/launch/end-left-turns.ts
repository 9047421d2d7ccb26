import { existsSync } from 'node:fs';
import { endLeft } from '../dispatch/queue/recovery.js';
import { RequestJournal } from '../dispatch/queue/request-journal.js';
import { rowSchemas } from '../dispatch/queue/row-schemas.js';
import { toEventLine, toFormerEventLine, toLogLine } from '../events/event-lines.js';
import { EventStore } from '../events/event-store.js';
import type { Clock } from '../foundation/clock.js';
import { UnusableFile } from '../foundation/unusable-file.js';
import type { RecordError } from '../run/record-error.js';
import { queueStore } from '../session/queue-store.js';
import type { SessionPaths } from '../session/session-paths.js';
import { StoreUnavailable } from '../storage/storage-fault.js';
import { claimTurns } from '../turn/claim-turns.js';
import { TurnTable } from '../turn/turn-table.js';

const stopped: RecordError = { code: 'interrupted', detail: 'The agent was stopped while this ran.' };

/**
 * Ends the turn that a session without a gateway still has, one of the managed-agent server or one that its owner died with, and
 * writes it down. A server that runs it gives it up for that.
 * @param identity the session's attach identity.
 * @returns what could not be done, in a sentence; null when all went well.
 */
export async function endLeftTurns(
  paths: SessionPaths,
  identity: string,
  clock: Clock,
): Promise<string | null> {
  if (!existsSync(paths.queue)) return null;
  const ownership = await claimTurns(paths.run, 'houmao-mgr', clock);
  if (!ownership) return 'Another program runs its turns and did not hand them over; one may still run.';
  try {
    await endThem(paths, identity, clock);
    return null;
  } catch (error) {
    if (error instanceof UnusableFile)
      return `It is not known whether one of its turns still runs: ${error.message}`;
    if (error instanceof StoreUnavailable)
      return `The running turn was ended, but this could not be recorded: ${error.fault.reason}`;
    throw error;
  } finally {
    ownership.release();
  }
}

async function endThem(paths: SessionPaths, identity: string, clock: Clock): Promise<void> {
  const events = new EventStore({
    name: queueStore(paths),
    schemas: rowSchemas,
    files: [
      { name: 'events.jsonl', path: paths.events, lineOf: toEventLine, formerLineOf: toFormerEventLine },
      { name: 'gateway.log', path: paths.log, lineOf: toLogLine },
    ],
    ...{ followers: [], committed: () => undefined, faultChanged: () => undefined, clock },
    // What keeps the end from being stored is thrown.
    print: () => undefined,
  });
  const { store, journal } = events;
  try {
    const parts = { journal, turns: new TurnTable(store), queue: new RequestJournal(store, journal) };
    const none = (): boolean => false;
    // The end of the turn is all there is to tell.
    await endLeft(
      { ...parts, runsOn: none, session: { identity, run: paths.run }, clock },
      stopped,
      () => undefined,
    );
  } finally {
    events.feed.close();
    await events.close();
  }
}
