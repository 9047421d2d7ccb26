import { Agent, type IncomingMessage, request } from 'node:http';
import type { Clock } from '../../foundation/clock.js';
import { onAbort } from '../../foundation/concurrency.js';
import { callSubject } from '../engine/layout.js';
import type { FleetSession } from '../engine/link.js';
import {
  type AnswerFrame,
  beatMilliseconds,
  type CallFrame,
  type CallHead,
  callVersion,
  frameBytes,
  frameWindow,
  readCall,
  writeAnswer,
} from './frames.js';

/** The server of this host, to which calls of other hosts go: they pass the same walls and checks as everybody's. */
export interface OwnServer {
  /** Its port on 127.0.0.1. */
  readonly port: number;
  readonly token: string;
}

export interface AnswererParts {
  readonly host: string;
  readonly server: OwnServer;
  readonly clock: Clock;
  report(fault: string): void;
}

/** The longest body of a call, in bytes: a message with its attachments. */
const longestBody = 17 * 1024 * 1024;
/** How long the rest of a body may take, in milliseconds. */
const bodyMilliseconds = 30_000;
/** The paths that other hosts may call: those of agents. */
const isForAgents = (path: string): boolean => path.startsWith('/houmao/agents/');

type Unnumbered<F> = F extends AnswerFrame ? Omit<F, 'number'> : never;

/** Answers the calls of other hosts by those of this host's own server, until the session ends. */
export class CallAnswerer {
  readonly #parts: AnswererParts;
  readonly #connections = new Agent({ keepAlive: true });
  readonly #calls = new Map<string, UnderWay>();

  constructor(parts: AnswererParts) {
    this.#parts = parts;
  }

  async run({ connection, ended }: Pick<FleetSession, 'connection' | 'ended'>): Promise<void> {
    const asked = connection.subscribe(callSubject(this.#parts.host));
    const stop = (): void => asked.unsubscribe();
    const letGo = onAbort(ended, stop);
    await connection.flush();
    try {
      for await (const message of asked) {
        const frame = readCall(message);
        if (frame === null) continue;
        if (frame.kind !== 'ask') this.#calls.get(frame.call)?.take(frame);
        else
          this.#begin(frame, (answer) => {
            if (connection.isClosed() || message.reply === undefined) return;
            const { bytes, headers } = writeAnswer(answer);
            connection.publish(message.reply, bytes, { headers });
          });
      }
    } finally {
      for (const call of this.#calls.values()) call.cancel();
      this.#calls.clear();
      letGo();
    }
  }

  close(): void {
    this.#connections.destroy();
  }

  #begin({ call, head, bytes }: CallFrame & { kind: 'ask' }, send: (answer: AnswerFrame) => void): void {
    const underWay = new UnderWay(send, this.#parts.clock);
    this.#calls.set(call, underWay);
    this.#answer(head, bytes, underWay)
      .catch((error: Error) => {
        if (underWay.cancelled.aborted) return;
        if (!(error instanceof NotDone))
          this.#parts.report(`a call of another host failed: ${error.message}`);
        underWay.say({ kind: 'failed', reason: error.message });
      })
      .finally(() => {
        underWay.cancel();
        this.#calls.delete(call);
      });
  }

  async #answer(head: CallHead, begin: Uint8Array, call: UnderWay): Promise<void> {
    const { host } = this.#parts;
    if (head.version > callVersion)
      throw new NotDone(`host ${host} has an earlier release and does not know this call; upgrade it`);
    if (!isForAgents(head.path)) throw new NotDone(`host ${host} answers calls for agents only`);
    if (head.length > longestBody) throw new NotDone(`the body has more than ${longestBody} bytes`);
    const body = await call.bodyOf(head, begin, bodyMilliseconds);
    const answer = await this.#exchange(head, body, call.cancelled);
    call.say({ kind: 'head', head: { status: answer.statusCode ?? 500, headers: headersOf(answer) } });
    for await (const chunk of answer) {
      const bytes = chunk as Buffer;
      for (let from = 0; from < bytes.length; from += frameBytes) {
        await call.room();
        call.say({ kind: 'body', bytes: bytes.subarray(from, from + frameBytes) });
      }
    }
    call.say({ kind: 'end' });
  }

  #exchange(head: CallHead, body: Buffer, signal: AbortSignal): Promise<IncomingMessage> {
    const { port, token } = this.#parts.server;
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          agent: this.#connections,
          host: '127.0.0.1',
          port,
          method: head.method,
          path: head.path,
          headers: {
            ...head.headers,
            authorization: `Bearer ${token}`,
            ...(body.length > 0 && { 'content-length': body.length }),
          },
          signal,
        },
        resolve,
      );
      asked.on('error', reject);
      asked.end(body);
    });
  }
}

/** The call cannot be done here; the message is for the caller. */
class NotDone extends Error {
  override readonly name = 'NotDone';
}

/** The headers of an answer that describe the connection. */
const ofConnection: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date']);

function headersOf({ headers }: IncomingMessage): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !ofConnection.has(name)) kept[name] = value;
  return kept;
}

/** One call that is answered. */
class UnderWay {
  readonly #send: (answer: AnswerFrame) => void;
  readonly #cancelled = new AbortController();
  readonly #rest: Uint8Array[] = [];
  #restLength = 0;
  #wake: () => void = () => undefined;
  #number = 0;
  #taken = 0;
  #saidAt: number;
  readonly #clock: Clock;

  constructor(send: (answer: AnswerFrame) => void, clock: Clock) {
    this.#send = send;
    this.#clock = clock;
    this.#saidAt = clock.monotonic();
    void this.#beat();
  }

  get cancelled(): AbortSignal {
    return this.#cancelled.signal;
  }

  cancel(): void {
    this.#cancelled.abort();
    this.#wake();
  }

  take(frame: Exclude<CallFrame, { kind: 'ask' }>): void {
    if (frame.kind === 'cancel') this.cancel();
    else if (frame.kind === 'go_on') this.#taken = Math.max(this.#taken, frame.taken);
    else if (this.#restLength <= longestBody) {
      this.#rest.push(frame.bytes);
      this.#restLength += frame.bytes.length;
    }
    this.#wake();
  }

  /** Sends a frame, with the next number. */
  say(answer: Unnumbered<AnswerFrame>): void {
    this.#saidAt = this.#clock.monotonic();
    this.#send({ ...answer, number: this.#number } as AnswerFrame);
    this.#number += 1;
  }

  /** Waits until the caller has taken enough of what was sent. */
  async room(): Promise<void> {
    while (this.#number - this.#taken >= frameWindow && !this.#cancelled.signal.aborted) await this.#woken();
  }

  /** Waits for the whole body. @throws {NotDone} when it does not come. */
  async bodyOf({ length }: CallHead, begin: Uint8Array, milliseconds: number): Promise<Buffer> {
    const deadline = this.#clock.monotonic() + milliseconds;
    while (begin.length + this.#restLength < length) {
      const left = deadline - this.#clock.monotonic();
      if (left <= 0 || this.#cancelled.signal.aborted) throw new NotDone('a part of the call was lost');
      const waited = new AbortController();
      await Promise.race([this.#woken(), this.#clock.sleep(left, waited.signal)]);
      waited.abort();
    }
    return Buffer.concat([begin, ...this.#rest]);
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #beat(): Promise<void> {
    const { signal } = this.#cancelled;
    while (!signal.aborted) {
      await this.#clock.sleep(beatMilliseconds, signal);
      if (signal.aborted) return;
      if (
        this.#clock.monotonic() - this.#saidAt >= beatMilliseconds / 2 &&
        this.#number - this.#taken < frameWindow
      )
        this.say({ kind: 'beat' });
    }
  }
}
