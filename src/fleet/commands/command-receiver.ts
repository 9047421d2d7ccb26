import type { Journal } from '../../events/journal.js';
import { type Clock, toMicrosecondStamp } from '../../foundation/clock.js';
import { Waiters } from '../../foundation/concurrency.js';
import { commandsOf, streams } from '../engine/layout.js';
import type { FleetSession } from '../engine/link.js';
import { takeEach } from '../engine/work-queue.js';
import type { Admission, AdmissionAnswer } from './admission.js';
import { isLate, readCommand, verdictOf } from './command.js';
import type { CommandBoard } from './command-board.js';
import type { CommandChange, CommandTable, ReceivedCommand } from './command-table.js';

export interface ReceiverParts {
  readonly host: string;
  readonly journal: Journal;
  readonly table: CommandTable;
  readonly board: Pick<CommandBoard, 'begin' | 'report' | 'endLost'>;
  readonly clock: Clock;
  /** The time by the clock of the engine, which deadlines are held against. */
  engineNow(): Date;
  readonly admission: Pick<Admission, 'admit'>;
  /** Returns when an agent had the prompt of a request, as an event of this host says; null where none does. */
  confirmedAt(requestId: string): string | null;
  report(fault: string): void;
}

const firstPauseMilliseconds = 500;
const longestPauseMilliseconds = 15_000;
const [received, changed] = ['received', 'changed'];

/**
 * Takes the commands for this host out of the stream into its own database, one after the other, and acknowledges each after the
 * commit. Then each agent gets its commands in their order; an agent that cannot take one holds up no other.
 */
export class CommandReceiver {
  readonly #parts: ReceiverParts;
  readonly #waiters = new Waiters();
  readonly #lanes = new Map<string, Promise<void>>();

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
  }

  /** Works until the session ends. */
  async run(session: FleetSession): Promise<void> {
    try {
      await this.#endLost(session);
      await Promise.all([this.#take(session), this.#reportAll(session), this.#admitAll(session)]);
    } finally {
      this.#waiters.releaseAll();
    }
  }

  /**
   * Notes that an agent has the prompt of a request, if a command became that request. Call it in the transaction that keeps the event
   * which says so: after a crash it does not come again.
   */
  delivered(requestId: string, atUtc: string): void {
    const { table } = this.#parts;
    const found = table.findByRequest(requestId);
    if (found === null || found.state !== 'admitted') return;
    table.change(found.message.command_id, { ...found, state: 'delivered', delivered_at_utc: atUtc });
    this.#waiters.wake(changed);
  }

  #take(session: FleetSession): Promise<void> {
    const { host, journal, table, report } = this.#parts;
    return takeEach(session, {
      stream: streams.commands,
      host,
      filter: commandsOf(host),
      thing: 'command',
      // One that is sent again would come behind those that came later.
      pending: 1,
      read: readCommand,
      take: async (command, message) => {
        await journal.write(() => {
          // One that is known comes again where the fleet has lost how far it came.
          if (!table.insert(command)) table.reportAgain(command.command_id);
        });
        await message.ackAck();
        this.#waiters.wake(received);
        this.#waiters.wake(changed);
      },
      report,
    });
  }

  /** Looks whether the stream is another one than before, with which the commands are gone that were in it. */
  async #endLost(session: FleetSession): Promise<void> {
    const { host, journal, table, board, report } = this.#parts;
    const { created } = await session.manager.streams.info(streams.commands);
    const before = table.streamMadeAt();
    if (before === created) return;
    if (before !== null) {
      const isHere = (id: string): boolean => table.find(id) !== null;
      const lost = await board.endLost(session, host, { madeAt: new Date(created), isHere });
      if (lost > 0) report(`NATS lost ${lost} prompts for this host with the stream ${streams.commands}`);
    }
    if (!session.ended.aborted) await journal.write(() => table.putStreamMadeAt(created));
  }

  /** Reports to the fleet how far its commands came, also those of earlier sessions. */
  async #reportAll({ ended, commands }: FleetSession): Promise<void> {
    const { journal, table, board, host } = this.#parts;
    while (!ended.aborted) {
      const unreported = table.unreported(50);
      for (const one of unreported) {
        await board.report(commands, host, one);
        await journal.write(() => table.markReported(one.message.command_id, one));
      }
      if (unreported.length === 0) await this.#waiters.wait(changed, 60_000, ended);
    }
  }

  async #admitAll(session: FleetSession): Promise<void> {
    const { table } = this.#parts;
    const { ended } = session;
    while (!ended.aborted) {
      for (const agent of table.openAgents())
        if (!this.#lanes.has(agent)) {
          const lane = this.#admitFor(agent, session).finally(() => this.#lanes.delete(agent));
          this.#lanes.set(agent, lane);
          lane.catch((error: Error) =>
            this.#parts.report(`the commands for ${agent} wait: ${error.message}`),
          );
        }
      await this.#waiters.wait(received, 60_000, ended);
    }
    await Promise.allSettled(this.#lanes.values());
  }

  /** Admits the commands for one agent, in their order. */
  async #admitFor(agent: string, session: FleetSession): Promise<void> {
    const { table, clock } = this.#parts;
    let pause = firstPauseMilliseconds;
    while (!session.ended.aborted) {
      const command = table.oldestOpen(agent);
      if (command === null) return;
      const change = await this.#try(command, session);
      if (change !== null) await this.#note(command, change);
      if (change !== null && change.state !== 'admitting') {
        pause = firstPauseMilliseconds;
        continue;
      }
      await clock.sleep(pause, session.ended);
      pause = Math.min(pause * 2, longestPauseMilliseconds);
    }
  }

  /** @returns the change of the command; null when nothing is known now. */
  async #try(command: ReceivedCommand, { commands, ended }: FleetSession): Promise<CommandChange | null> {
    const { board, clock, engineNow, host, admission } = this.#parts;
    const now = toMicrosecondStamp(clock.now());
    if (command.state === 'accepted') {
      const late = isLate(command.message, engineNow());
      const begun = await board.begin(commands, host, command.message, late ? 'lapsed' : 'admitting', now);
      if (begun !== null) return { ...command, ...begun, detail: null };
      await this.#note(command, { ...command, state: 'admitting' });
    }
    let answer: AdmissionAnswer;
    try {
      answer = await admission.admit(command.message, ended);
    } catch (error) {
      return ended.aborted ? null : { ...command, state: 'admitting', detail: (error as Error).message };
    }
    const { status, code, requestId, detail } = answer;
    switch (verdictOf(status, code)) {
      case 'admitted':
        return { ...command, state: 'admitted', admitted_at_utc: now, request_id: requestId, detail: null };
      case 'refused':
        return { ...command, state: 'refused', ended_at_utc: now, detail };
      case 'wait':
        return { ...command, state: 'admitting', detail };
    }
  }

  async #note({ message, state, detail }: ReceivedCommand, change: CommandChange): Promise<void> {
    if (change.state === state && change.detail === detail) return;
    const { journal, table, confirmedAt } = this.#parts;
    await journal.write(() => {
      table.change(message.command_id, change);
      // The agent may have had it first: a host that is killed asks for the admission again, and learns of it late.
      const at = change.state === 'admitted' && change.request_id !== null && confirmedAt(change.request_id);
      if (at) table.change(message.command_id, { ...change, state: 'delivered', delivered_at_utc: at });
    });
    this.#waiters.wake(changed);
  }
}
