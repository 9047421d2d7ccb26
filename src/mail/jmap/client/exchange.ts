import pLimit, { type LimitFunction } from 'p-limit';
import { certificateFaultOf } from '../../../foundation/certificate-fault.js';
import type { Clock } from '../../../foundation/clock.js';
import { isNextDoor, shownAddress } from './server-address.js';
import { ServerFault } from './server-fault.js';

/** One request to a server, and its time limit. */
export interface ServerRequest {
  method: 'GET' | 'POST' | 'PATCH';
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string | Blob;
  /** Whether the request asks for a change. */
  changes: boolean;
  /** Milliseconds for the whole answer. */
  limit: number;
  /** Ends the request earlier. */
  signal?: AbortSignal;
}

export interface ServerAnswer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

/** In bytes; no answer that is requested here is larger. */
export const longestAnswer = 64 * 1024 * 1024;

/** The connection existed, and ended before the answer. */
const brokenOff = /^(?:UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|ECONNRESET|EPIPE)$/;
/** Errors before the first byte of the request is sent. */
const notSent =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*)$/;
const isBeforeRequest = (code: string): boolean => notSent.test(code) || certificateFaultOf(code) !== null;

/**
 * A server that sends the head and the body of an answer separately, as Cyrus does, waits between them for an acknowledgement,
 * which the system delays by 40 ms on a connection that has been used for a while. On a new connection it comes at once.
 */
const promptly = { connection: 'close' };

/**
 * Sends one request, follows no redirect, and reads the whole answer.
 * @throws {ServerFault} `unreachable`, which also says whether the outcome is unknown.
 */
export async function exchange(asked: ServerRequest, clock: Clock): Promise<ServerAnswer> {
  const timeout = new AbortController();
  const done = new AbortController();
  void clock.sleep(asked.limit, done.signal).then(() => timeout.abort());
  const signal = asked.signal ? AbortSignal.any([timeout.signal, asked.signal]) : timeout.signal;
  const { method, url, body } = asked;
  const headers = { ...asked.headers, ...(isNextDoor(url) && promptly) };
  try {
    const answer = await fetch(url, {
      method,
      headers,
      signal,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    });
    return { status: answer.status, headers: answer.headers, bytes: await bytesOf(answer, asked) };
  } catch (error) {
    if (error instanceof ServerFault) throw error;
    throw unreachable(error, asked, timeout.signal.aborted);
  } finally {
    done.abort();
  }
}

async function bytesOf(answer: Response, { url, changes }: ServerRequest): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of answer.body ?? []) {
    parts.push(part);
    length += part.length;
    if (length > longestAnswer)
      throw new ServerFault('server_refused', `${shownAddress(url)} answered with more than 64 MiB`, {
        outcomeUnknown: changes,
      });
  }
  return Buffer.concat(parts);
}

function unreachable(error: unknown, { url, limit, changes }: ServerRequest, timedOut: boolean): ServerFault {
  const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
  const code = cause?.code ?? (error as NodeJS.ErrnoException).code ?? null;
  const why = timedOut
    ? `gave no complete answer within ${Math.ceil(limit / 100) / 10} s`
    : failureWords(code, cause?.message ?? (error as Error).message);
  return new ServerFault('unreachable', `${shownAddress(url)} ${why}`, {
    outcomeUnknown: changes && (timedOut || code === null || !isBeforeRequest(code)),
    cause: error,
  });
}

function failureWords(code: string | null, message: string): string {
  if (code === null) return `cannot be reached (${message})`;
  const certificate = certificateFaultOf(code);
  if (certificate === 'misnamed') return `shows a certificate for another name (${code})`;
  if (certificate === 'distrusted')
    return `shows a certificate that is not trusted here (${code}); start this program with NODE_EXTRA_CA_CERTS=<file of its CA>`;
  return `${brokenOff.test(code) ? 'closed the connection' : 'cannot be reached'} (${code})`;
}

/**
 * Opens a stream of events; the time limit is for its beginning.
 * @returns null where the server has none.
 * @throws {ServerFault} where it may have one later.
 */
export async function openEvents(
  asked: ServerRequest,
  clock: Clock,
): Promise<ReadableStream<Uint8Array> | null> {
  const timeout = new AbortController();
  const begun = new AbortController();
  void clock.sleep(asked.limit, begun.signal).then(() => {
    if (!begun.signal.aborted) timeout.abort();
  });
  const signal = asked.signal ? AbortSignal.any([timeout.signal, asked.signal]) : timeout.signal;
  try {
    const answer = await fetch(asked.url, { headers: asked.headers, signal, redirect: 'manual' });
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (answer.status === 200 && isStream) return answer.body;
    await answer.body?.cancel();
    if (isTemporary(answer.status))
      throw new ServerFault('server_refused', `${shownAddress(asked.url)} answered with ${answer.status}`);
    return null;
  } catch (error) {
    if (error instanceof ServerFault) throw error;
    throw unreachable(error, asked, timeout.signal.aborted);
  } finally {
    begun.abort();
  }
}

/**
 * Decides whether a refusal may be temporary: an expired credential, a server that is overloaded, or a proxy before a
 * server that is being restarted.
 */
const isTemporary = (status: number): boolean =>
  status === 401 || status === 429 || (status >= 500 && status !== 501);

/** A server takes only a few requests of one user at a time: the others wait for their turn. */
export class RequestTurns {
  readonly #clock: Clock;
  readonly #slots: LimitFunction = pLimit(1);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set atOnce(count: number) {
    this.#slots.concurrency = count;
  }

  /**
   * @param limit milliseconds to wait for a turn.
   * @param signal ends the wait.
   * @throws {ServerFault} `unreachable` where no turn came: the request is not sent then, nor later.
   */
  async run(
    ask: () => Promise<ServerAnswer>,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<ServerAnswer> {
    const begun = new AbortController();
    let isLate = false;
    const done = this.#slots(async () => {
      if (isLate) return null;
      begun.abort();
      return ask();
    });
    const ends = signal ? [begun.signal, signal] : [begun.signal];
    await Promise.race([done.catch(() => null), this.#clock.sleep(limit, AbortSignal.any(ends))]);
    isLate = !begun.signal.aborted;
    const answer = isLate ? null : await done;
    if (answer !== null) return answer;
    throw new ServerFault(
      'unreachable',
      `the mail server is busy with other requests of this mailbox; nothing was asked within ${Math.ceil(limit / 100) / 10} s`,
    );
  }
}
