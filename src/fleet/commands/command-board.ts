import { createHash, randomBytes } from 'node:crypto';
import { JetStreamApiError } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { type PromptMetadata, withMetadata } from '../../contract/prompt-metadata.js';
import { keyOfAnotherBody } from '../../contract/refusals.js';
import { type Clock, toMicrosecondStamp } from '../../foundation/clock.js';
import { commandSubject, streams } from '../engine/layout.js';
import type { FleetSession } from '../engine/link.js';
import { isWrongSequence } from '../hosts/host-board.js';
import {
  acceptedRecord,
  type CommandMessage,
  type CommandRecord,
  type CommandState,
  commandVersion,
  isLate,
  isSettled,
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

  constructor(clock: Clock) {
    this.#clock = clock;
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
    try {
      await jetstream.publish(commandSubject(host, agentRef), JSON.stringify(message), {
        msgID: command_id,
        expect: { streamName: streams.commands },
        timeout: 5000,
        retries: 2,
      });
    } catch (error) {
      // An error of JetStream says that it did not store it; any other leaves that open.
      const trouble = error instanceof JetStreamApiError ? 'failed' : 'unknown';
      return { trouble, commandId: command_id, detail: (error as Error).message };
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
   * Waits until a command came so far, or ended in another way.
   * @returns its record at that moment, or when the time is over; null for one that is not known.
   */
  async wait(
    { commands, ended }: Pick<FleetSession, 'commands' | 'ended'>,
    commandId: string,
    { until, seconds, signal }: { until: 'admitted' | 'delivered'; seconds: number; signal: AbortSignal },
  ): Promise<CommandRecord | null> {
    const isThere = (record: CommandRecord): boolean =>
      isSettled(record) || (until === 'admitted' && record.state === 'admitted');
    const first = await this.read(commands, commandId);
    if (first === null || isThere(first) || seconds === 0) return first;
    const entries = await commands.watch({ key: commandId });
    const over = AbortSignal.any([signal, ended]);
    const stop = (): void => entries.stop();
    over.addEventListener('abort', stop, { once: true });
    const waited = new AbortController();
    void this.#clock.sleep(seconds * 1000, waited.signal).then(stop);
    let latest: CommandRecord | null = first;
    for await (const entry of entries) {
      latest = entry.operation === 'PUT' ? readRecord(entry.string()) : latest;
      if (latest !== null && isThere(latest)) break;
    }
    waited.abort();
    over.removeEventListener('abort', stop);
    entries.stop();
    return latest;
  }

  /**
   * Cancels a command that its host has not begun to take.
   * @returns its record after that: `cancelled`, or how far it came; null for one that is not known.
   */
  async cancel(commands: KV, commandId: string): Promise<CommandRecord | null> {
    const now = toMicrosecondStamp(this.#clock.now());
    return this.#leaveAccepted(commands, commandId, (record) => ({
      ...record,
      state: isLate(record, this.#clock.now()) ? 'lapsed' : 'cancelled',
      ended_at_utc: now,
    }));
  }

  /**
   * For the host of a command: begins to take it, unless it was cancelled or has lapsed.
   * @returns its state after that.
   */
  async begin(
    commands: KV,
    host: string,
    message: CommandMessage,
    state: 'admitting' | 'lapsed',
    now: string,
  ): Promise<'admitting' | 'cancelled' | 'lapsed'> {
    const next = (record: CommandRecord): CommandRecord => ({
      ...record,
      state,
      ended_at_utc: state === 'lapsed' ? now : null,
    });
    const there = await this.#leaveAccepted(commands, message.command_id, next);
    if (there === null) {
      // The sender has not written it yet, or the bucket was wiped.
      try {
        await commands.create(message.command_id, JSON.stringify(next(acceptedRecord(message, host))));
        return state;
      } catch (error) {
        if (!isWrongSequence(error)) throw error;
        return this.begin(commands, host, message, state, now);
      }
    }
    return there.state === 'cancelled' || there.state === 'lapsed' ? there.state : 'admitting';
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

const leaves = (state: CommandState): boolean => state === 'accepted';

const sameBody = (record: CommandRecord, digest: string): GivenCommand =>
  record.digest === digest
    ? { record }
    : { trouble: 'key_reused', commandId: record.command_id, detail: keyOfAnotherBody };
