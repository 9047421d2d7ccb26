import { randomUUID } from 'node:crypto';
import { createInbox, type Msg } from '@nats-io/transport-node';
import type { Clock } from '../../foundation/clock.js';
import { callSubject, inboxPrefix } from '../engine/layout.js';
import type { FleetSession } from '../engine/link.js';
import {
  type AnswerHead,
  callVersion,
  frameBytes,
  frameWindow,
  readAnswer,
  silenceMilliseconds,
  writeCall,
} from './frames.js';

/** A call of an operation for an agent of another host. */
export interface FleetCall {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Ends the call; the other host stops waiting too. */
  readonly signal: AbortSignal;
}

/** Why a call got no whole answer. */
export type CallTrouble =
  /** No server of that host listens: nothing was done. */
  | 'away'
  /** The other host took the call and went silent, or the connection was lost: the outcome is unknown. */
  | 'lost'
  /** The other host could not do it; nothing was done. */
  | 'failed';

export class CallFault extends Error {
  override readonly name = 'CallFault';
  readonly trouble: CallTrouble;

  constructor(trouble: CallTrouble, message: string) {
    super(message);
    this.trouble = trouble;
  }
}

/** The beginning of an answer, and the rest as it comes. */
export interface FleetAnswer extends AnswerHead {
  /** @throws {CallFault} `lost`, when the answer breaks off. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Makes a call, and returns when its answer begins. No call is sent twice.
 * @throws {CallFault}
 */
export async function callHost(
  { connection, ended }: Pick<FleetSession, 'connection' | 'ended'>,
  { from, host, clock }: { from: string; host: string; clock: Clock },
  { method, path, headers, body, signal }: FleetCall,
): Promise<FleetAnswer> {
  const call = randomUUID();
  const subject = callSubject(host);
  const inbox = createInbox(inboxPrefix(from));
  const answers = connection.subscribe(inbox);
  const send = (frame: Parameters<typeof writeCall>[0], reply?: string): void => {
    const { bytes, headers: written } = writeCall(frame);
    connection.publish(subject, bytes, { headers: written, ...(reply !== undefined && { reply }) });
  };
  const cancel = (): void => {
    if (!ended.aborted && !connection.isClosed()) send({ kind: 'cancel', call });
    answers.unsubscribe();
  };
  const over = AbortSignal.any([signal, ended]);
  over.addEventListener('abort', cancel, { once: true });
  const close = (): void => {
    over.removeEventListener('abort', cancel);
    answers.unsubscribe();
  };
  const head = { version: callVersion, method, path, headers, length: body.length };
  send({ kind: 'ask', call, head, bytes: body.subarray(0, frameBytes) }, inbox);
  for (let start = frameBytes; start < body.length; start += frameBytes)
    send({ kind: 'more', call, bytes: body.subarray(start, start + frameBytes) });

  const received = answers[Symbol.asyncIterator]();
  let expected = 0;
  /** @returns the next frame that says something; null at the end of the answer. */
  const next = async (): Promise<AnswerHead | Uint8Array | null> => {
    for (;;) {
      const message = await heardWithin(received, silenceMilliseconds, clock);
      if (message === null) throw new CallFault('lost', `host ${host} was lost before it had answered`);
      if (message.headers?.code === noResponders) throw new CallFault('away', `host ${host} is not there`);
      const frame = readAnswer(message);
      if (frame?.number !== expected)
        throw new CallFault('lost', `a part of the answer of host ${host} was lost`);
      expected += 1;
      if (expected % (frameWindow / 2) === 0) send({ kind: 'go_on', call, taken: expected });
      switch (frame.kind) {
        case 'head':
          return frame.head;
        case 'body':
          return frame.bytes;
        case 'failed':
          throw new CallFault('failed', frame.reason);
        case 'end':
          return null;
      }
    }
  };
  try {
    const first = await next();
    if (first === null || first instanceof Uint8Array)
      throw new CallFault('lost', `the answer of host ${host} has no beginning`);
    const rest = async function* (): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          const part = await next();
          if (part === null) return;
          if (part instanceof Uint8Array) yield part;
        }
      } catch (error) {
        cancel();
        throw error;
      } finally {
        close();
      }
    };
    return { ...first, body: rest() };
  } catch (error) {
    if ((error as CallFault).trouble !== 'away') cancel();
    close();
    throw error;
  }
}

/** The status with which NATS answers where no host listens. */
const noResponders = 503;

/** @returns the next message; null when none comes in time, or ever. */
async function heardWithin(
  received: AsyncIterator<Msg>,
  milliseconds: number,
  clock: Clock,
): Promise<Msg | null> {
  const waited = new AbortController();
  const silence = clock.sleep(milliseconds, waited.signal).then(() => null);
  const heard = received.next().then(({ done, value }) => (done ? null : value));
  const message = await Promise.race([heard, silence]);
  waited.abort();
  return message;
}

/** Reads the whole of an answer. @throws {CallFault} */
export async function wholeBody({ body }: Pick<FleetAnswer, 'body'>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}
