import { createHash, randomBytes } from 'node:crypto';
import { JetStreamApiError } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { ClosedConnectionError } from '@nats-io/transport-node';
import { type PromptMetadata, withMetadata } from '../../contract/prompt-metadata.js';
import { keyOfAnotherBody } from '../../contract/refusals.js';
import { type Clock, toMicrosecondStamp } from '../../foundation/clock.js';
import { onAbort } from '../../foundation/concurrency.js';
import { commandSubject, streams } from '../engine/layout.js';
import type { FleetSession } from '../engine/link.js';
import { engineFaultWords } from '../engine/link-fault.js';
import { putInQueue } from '../engine/work-queue.js';
import { isWrongSequence } from '../hosts/host-board.js';
import {
  acceptedRecord,
  type CommandFilter,
  type CommandList,
  type CommandMessage,
  type CommandRecord,
  type CommandState,
  chosenCommands,
  commandVersion,
  isLate,
  isSettled,
  isWaiting,
  readRecord,
} from './command.js';
import type { ReceivedCommand } from './command-table.js';

/** A prompt for an agent of another host. */
export interface NewCommand {
  readonly host: string;
  /** The agent as its host knows it, without `@host`. */
  readonly agentRef: string;
  readonly body: object;
  readonly metadata: PromptMetadata | null;
  /** The epoch of the agent's lease as it is known; null where it is not. */
  readonly epoch: number | null;
  /** The caller's key; a repeat under it is the same command. */
  readonly key: string | null;
  readonly deadlineAtUtc: string | null;
}

/** The outcome of a submission: its record, or why the fleet did not take it. */
export type GivenCommand =
  | { readonly record: CommandRecord }
  | {
      /** `key_reused`: another body came under that key. `unknown`: the engine may have it, and the same key says so. */
      readonly trouble: 'key_reused' | 'unknown' | 'failed';
      readonly commandId: string;
      readonly detail: string;
    };

const digestOf = (body: unknown): string => createHash('sha256').update(JSON.stringify(body)).digest('hex');

/** Returns the id of a command: of its key, where it has one, so that a repeat is the same command on every host. */
function commandIdOf({ host, agentRef, key }: NewCommand): string {
  const random = key === null ? randomBytes(16) : null;
  const digest = createHash('sha256').update(JSON.stringify([host, agentRef, key]));
  return `fcmd-${(random ?? digest.digest()).toString('hex').slice(0, 32)}`;
}

/** The commands of the fleet, as every host sees and changes them: the stream, and the bucket that says how far each came. */
export class CommandBoard {
  readonly #clock: Clock;
  readonly #engineNow: () => Date;

  /** @param engineNow the time by the clock of the engine, which deadlines are held against: that of a host may be wrong. */
  constructor(clock: Clock, engineNow: () => Date) {
    this.#clock = clock;
    this.#engineNow = engineNow;
  }

  /**
   * Gives a command to the fleet, and returns when the engine has it on disk.
   * @returns its record, as it stands: a repeat finds how far it came.
   */
  async submit(
    { streams: jetstream, commands }: Pick<FleetSession, 'streams' | 'commands'>,
    command: NewCommand,
  ): Promise<GivenCommand> {
    const { host, agentRef, body, metadata, epoch, deadlineAtUtc } = command;
    const command_id = commandIdOf(command);
    const digest = digestOf(withMetadata(body, metadata));
    if (command.key !== null) {
      const known = await this.read(commands, command_id).catch((error: Error) => error);
      if (known instanceof Error) return { trouble: 'failed', commandId: command_id, detail: known.message };
      if (known !== null) return sameBody(known, digest);
    }
    const message: CommandMessage = {
      version: commandVersion,
      command_id,
      agent_ref: agentRef,
      body,
      ...(metadata !== null && { metadata }),
      ...(epoch !== null && { epoch }),
      digest,
      accepted_at_utc: toMicrosecondStamp(this.#clock.now()),
      deadline_at_utc: deadlineAtUtc,
    };
    const put = {
      stream: streams.commands,
      subject: commandSubject(host, agentRef),
      text: JSON.stringify(message),
    };
    try {
      const { duplicate } = await putInQueue(jetstream, { ...put, msgID: command_id });
      // The fleet had it, and lost how far it came: its host knows that, and says so once it sees the command again.
      if (duplicate && (await this.read(commands, command_id)) === null) await putInQueue(jetstream, put);
    } catch (error) {
      // An error of JetStream says that it did not store it; any other leaves that open.
      const trouble = error instanceof JetStreamApiError ? 'failed' : 'unknown';
      return { trouble, commandId: command_id, detail: engineFaultWords(error as Error) };
    }
    const record = acceptedRecord(message, host);
    try {
      await commands.create(command_id, JSON.stringify(record));
      return { record };
    } catch {
      // The host was quicker, or an equal call was; otherwise the host writes it.
      return sameBody((await this.read(commands, command_id).catch(() => null)) ?? record, digest);
    }
  }

  /** Returns how far a command came; null for one that is not known. */
  async read(commands: KV, commandId: string): Promise<CommandRecord | null> {
    const entry = await commands.get(commandId);
    return entry?.operation === 'PUT' ? readRecord(entry.string()) : null;
  }

  /**
   * Waits until a command came so far, or ended in another way. One whose deadline has passed before its host took it ends here, also
   * while that host is away.
   * @returns its record at that moment, or when the time is over; null for one that is not known.
   */
  async wait(
    { commands, ended }: Pick<FleetSession, 'commands' | 'ended'>,
    commandId: string,
    { until, seconds, signal }: { until: 'admitted' | 'delivered'; seconds: number; signal: AbortSignal },
  ): Promise<CommandRecord | null> {
    const isThere = (record: CommandRecord): boolean =>
      isSettled(record) || (until === 'admitted' && record.state === 'admitted');
    const first = await this.#lapsed(commands, await this.read(commands, commandId));
    if (first === null || isThere(first) || seconds <= 0) return first;
    const end = this.#clock.monotonic() + seconds * 1000;
    const { state, deadline_at_utc: deadline } = first;
    const untilLate =
      deadline === null || !leaves(state)
        ? Number.POSITIVE_INFINITY
        : Date.parse(deadline) - this.#engineNow().getTime();
    const entries = await commands.watch({ key: commandId });
    const over = AbortSignal.any([signal, ended]);
    const stop = (): void => entries.stop();
    const letGo = onAbort(over, stop);
    const waited = new AbortController();
    void this.#clock.sleep(Math.min(seconds * 1000, untilLate), waited.signal).then(stop);
    let latest = first;
    for await (const entry of entries) {
      latest = (entry.operation === 'PUT' ? readRecord(entry.string()) : null) ?? latest;
      if (isThere(latest)) break;
    }
    waited.abort();
    letGo();
    entries.stop();
    if (over.aborted || isThere(latest)) return latest;
    const left = (end - this.#clock.monotonic()) / 1000;
    return this.wait({ commands, ended }, commandId, { until, seconds: left, signal });
  }

  /**
   * Cancels a command that its host has not begun to take.
   * @returns its record after that: `cancelled`, or how far it came; null for one that is not known.
   */
  async cancel(commands: KV, commandId: string): Promise<CommandRecord | null> {
    const now = toMicrosecondStamp(this.#clock.now());
    return this.#leaveAccepted(commands, commandId, (record) => ({
      ...record,
      state: isLate(record, this.#engineNow()) ? 'lapsed' : 'cancelled',
      ended_at_utc: now,
    }));
  }

  /**
   * For the host of a command: begins to take it, unless it was cancelled or has lapsed.
   * @returns how and when it ended before that; null where its host begins.
   */
  async begin(
    commands: KV,
    host: string,
    message: CommandMessage,
    state: 'admitting' | 'lapsed',
    now: string,
  ): Promise<Pick<CommandRecord, 'state' | 'ended_at_utc'> | null> {
    const next = (record: CommandRecord): CommandRecord => ({
      ...record,
      state,
      ended_at_utc: state === 'lapsed' ? now : null,
    });
    const there = await this.#leaveAccepted(commands, message.command_id, next);
    if (there === null) {
      // The sender has not written it yet, or the bucket was wiped.
      const first = next(acceptedRecord(message, host));
      try {
        await commands.create(message.command_id, JSON.stringify(first));
        return endOf(first);
      } catch (error) {
        if (!isWrongSequence(error)) throw error;
        return this.begin(commands, host, message, state, now);
      }
    }
    return endOf(there);
  }

  /** Ends a command that its host has not begun to take, where its deadline has passed: it is not taken any more. */
  async #lapsed(commands: KV, record: CommandRecord | null): Promise<CommandRecord | null> {
    if (record === null || !leaves(record.state) || !isLate(record, this.#engineNow())) return record;
    return this.#leaveAccepted(commands, record.command_id, (there) => ({
      ...there,
      state: 'lapsed',
      ended_at_utc: toMicrosecondStamp(this.#clock.now()),
    }));
  }

  /** Notes that a command which was admitted was cancelled in the queue of its agent. */
  async end(commands: KV, record: CommandRecord): Promise<CommandRecord> {
    const ended_at_utc = toMicrosecondStamp(this.#clock.now());
    const cancelled: CommandRecord = { ...record, state: 'cancelled', ended_at_utc };
    await commands.put(record.command_id, JSON.stringify(cancelled));
    return cancelled;
  }

  /** For the host of a command: writes how far it came. */
  async report(commands: KV, host: string, { message, ...change }: ReceivedCommand): Promise<void> {
    const record: CommandRecord = { ...acceptedRecord(message, host), ...change };
    await commands.put(message.command_id, JSON.stringify(record));
  }

  /**
   * For a host whose commands NATS lost with their stream: ends those that it never had, so that no one waits for them.
   * @param madeAt when the stream of now was made, by the clock of the engine. @returns how many there were.
   */
  async endLost(
    { commands, ended }: Pick<FleetSession, 'commands' | 'ended'>,
    host: string,
    { madeAt, isHere }: { madeAt: Date; isHere(commandId: string): boolean },
  ): Promise<number> {
    const lost: string[] = [];
    for await (const { record, writtenAt } of this.#all({ commands, ended }))
      if (record.host === host && leaves(record.state) && writtenAt < madeAt && !isHere(record.command_id))
        lost.push(record.command_id);
    const ended_at_utc = toMicrosecondStamp(this.#clock.now());
    for (const id of lost)
      await this.#leaveAccepted(commands, id, (record) => ({
        ...record,
        state: 'refused',
        ended_at_utc,
        detail:
          'NATS lost it before its host had it, as its stream was removed; give it again under another key',
      }));
    return lost.length;
  }

  /** Lists commands, of all that the fleet keeps: for an answer to a person, not for a loop. */
  async list(session: Pick<FleetSession, 'commands' | 'ended'>, filter: CommandFilter): Promise<CommandList> {
    const found: CommandRecord[] = [];
    for await (const { record } of this.#all(session))
      if (filter.state === 'all' || isWaiting(record)) found.push(record);
    if (session.ended.aborted) throw new ClosedConnectionError();
    const now = await Promise.all(
      chosenCommands(found, { ...filter, limit: found.length }).commands.map((record) =>
        this.#lapsed(session.commands, record),
      ),
    );
    return chosenCommands(
      now.flatMap((record) => record ?? []),
      filter,
    );
  }

  /** Reads every command that the fleet keeps, and when it was last written, by the clock of the engine: until the session ends. */
  async *#all({
    commands,
    ended,
  }: Pick<FleetSession, 'commands' | 'ended'>): AsyncGenerator<{ record: CommandRecord; writtenAt: Date }> {
    const entries = await commands.history();
    const letGo = onAbort(ended, () => entries.stop());
    for await (const entry of entries) {
      const record = entry.operation === 'PUT' ? readRecord(entry.string()) : null;
      if (record !== null) yield { record, writtenAt: entry.created };
    }
    letGo();
  }

  /** Changes a command that is `accepted`, and no other. @returns its record afterwards. */
  async #leaveAccepted(
    commands: KV,
    commandId: string,
    next: (record: CommandRecord) => CommandRecord,
  ): Promise<CommandRecord | null> {
    for (;;) {
      const entry = await commands.get(commandId);
      const record = entry?.operation === 'PUT' ? readRecord(entry.string()) : null;
      if (!entry || record === null || !leaves(record.state)) return record;
      const changed = next(record);
      try {
        await commands.update(commandId, JSON.stringify(changed), entry.revision);
        return changed;
      } catch (error) {
        if (!isWrongSequence(error)) throw error;
      }
    }
  }
}

const endOf = ({
  state,
  ended_at_utc,
}: CommandRecord): Pick<CommandRecord, 'state' | 'ended_at_utc'> | null =>
  state === 'cancelled' || state === 'lapsed' ? { state, ended_at_utc } : null;

const leaves = (state: CommandState): boolean => state === 'accepted';

const sameBody = (record: CommandRecord, digest: string): GivenCommand =>
  record.digest === digest
    ? { record }
    : { trouble: 'key_reused', commandId: record.command_id, detail: keyOfAnotherBody };
