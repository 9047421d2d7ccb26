import type { JsMsg } from '@nats-io/jetstream';
import { AckPolicy, DeliverPolicy, JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { Journal } from '../../events/journal.js';
import { type Clock, toMicrosecondStamp } from '../../foundation/clock.js';
import { Waiters } from '../../foundation/concurrency.js';
import { commandConsumer, commandsOf, streams } from '../engine/layout.js';
import type { FleetSession } from '../engine/link.js';
import { isLate, readCommand, verdictOf } from './command.js';
import type { CommandBoard } from './command-board.js';
import type { CommandChange, CommandTable, ReceivedCommand } from './command-table.js';

/** The answer of this host's own server to a command. */
export interface AdmissionAnswer {
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string | null;
  readonly detail: string | null;
}

export interface ReceiverParts {
  readonly host: string;
  readonly journal: Journal;
  readonly table: CommandTable;
  readonly board: Pick<CommandBoard, 'begin' | 'report'>;
  readonly clock: Clock;
  /**
   * Puts a command into the queue of its agent, under the command's id as its key: once, however often it is called.
   * Rejects when no answer came.
   */
  admit(command: ReceivedCommand, signal: AbortSignal): Promise<AdmissionAnswer>;
  report(fault: string): void;
}

/** How long the engine waits for the acknowledgement of a command before it sends it again, in milliseconds. */
const acknowledgeMilliseconds = 30_000;
/** The pause before a command of a later release is looked at again, by a host that may have been upgraded meanwhile. */
const newerMilliseconds = 60_000;
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
      await Promise.all([this.#take(session), this.#reportAll(session), this.#admitAll(session)]);
    } finally {
      this.#waiters.releaseAll();
    }
  }

  /** Notes that an agent has the prompt of a request, if a command became that request. */
  async delivered(requestId: string, atUtc: string): Promise<void> {
    const { journal, table } = this.#parts;
    const found = table.findByRequest(requestId);
    if (found === null || found.state !== 'admitted') return;
    await journal.write(() =>
      table.change(found.message.command_id, { ...found, state: 'delivered', delivered_at_utc: atUtc }),
    );
    this.#waiters.wake(changed);
  }

  async #take({ manager, streams: jetstream, ended }: FleetSession): Promise<void> {
    const { host, report } = this.#parts;
    const name = commandConsumer(host);
    const known = await manager.consumers.info(streams.commands, name).catch((error: Error) => {
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound)
        return null;
      throw error;
    });
    if (known === null)
      await manager.consumers.add(streams.commands, {
        durable_name: name,
        filter_subject: commandsOf(host),
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ack_wait: nanos(acknowledgeMilliseconds),
        // One at a time: one that is sent again would come behind those that came later.
        max_ack_pending: 1,
      });
    const consumer = await jetstream.consumers.get(streams.commands, name);
    const messages = await consumer.consume({ max_messages: 1, expires: 30_000, idle_heartbeat: 5000 });
    const stop = (): void => messages.stop();
    ended.addEventListener('abort', stop, { once: true });
    const watch = this.#watchPulls(messages, stop);
    for await (const message of messages) await this.#receive(message, report);
    ended.removeEventListener('abort', stop);
    await watch;
    if (!ended.aborted) throw new Error('the commands of this host cannot be read any more');
  }

  /** A pull that went silent, or whose consumer is gone, ends the session: the next one begins afresh (nats.node#590). */
  async #watchPulls(
    messages: { status(): AsyncIterable<{ type: string }> },
    stop: () => void,
  ): Promise<void> {
    const ends: ReadonlySet<string> = new Set([
      'heartbeats_missed',
      'consumer_not_found',
      'stream_not_found',
      'consumer_deleted',
    ]);
    for await (const { type } of messages.status()) if (ends.has(type)) stop();
  }

  async #receive(message: JsMsg, report: (fault: string) => void): Promise<void> {
    const { journal, table } = this.#parts;
    const command = readCommand(message.data);
    if (command === null) {
      report(
        `message ${message.seq} of ${streams.commands} on ${message.subject} is no command, and was put aside`,
      );
      message.term('no command of Houmao');
      return;
    }
    if (command === 'newer') {
      report(
        `command ${message.seq} of ${streams.commands} is of a later release; upgrade this host, and it takes it`,
      );
      message.nak(newerMilliseconds);
      return;
    }
    await journal.write(() => table.insert(command));
    await message.ackAck();
    this.#waiters.wake(received);
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
    const { board, clock, host, admit } = this.#parts;
    const now = toMicrosecondStamp(clock.now());
    if (command.state === 'accepted') {
      const late = isLate(command.message, clock.now());
      const begun = await board.begin(commands, host, command.message, late ? 'lapsed' : 'admitting', now);
      if (begun !== 'admitting') return { ...command, state: begun, ended_at_utc: now, detail: null };
      await this.#note(command, { ...command, state: 'admitting' });
    }
    let answer: AdmissionAnswer;
    try {
      answer = await admit(command, ended);
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
    const { journal, table } = this.#parts;
    await journal.write(() => table.change(message.command_id, change));
    this.#waiters.wake(changed);
  }
}
