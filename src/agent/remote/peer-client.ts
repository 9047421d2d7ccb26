import querystring from 'node:querystring';
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { ExchangeFault, type ExchangeTrouble } from '../../foundation/exchange-fault.js';
import { UnusableFile } from '../../foundation/faults.js';
import type { HttpAnswer, HttpCall } from '../../foundation/http-exchange.js';
import { firstCodePoints, sanitiseLine } from '../../foundation/text.js';
import { internalFault, type RecordError } from '../../run/record-error.js';
import { noSigns, type StopOutcome, type TurnSigns } from '../../run/running-turn.js';
import { type PromptRefusal, sessionTrouble } from '../target/agent-target.js';

/**
 * The reason why another server gave no usable answer. Only after `unreachable` and `refused` is it certain that it did not act
 * on the request; after the others the outcome is unknown. A call that was ended from this side counts as lost.
 */
export type PeerTrouble =
  | Exclude<ExchangeTrouble, 'aborted'>
  /** It failed during the request: a 5xx other than 501 and 503. */
  | 'failed'
  /** It refused. */
  | 'refused';

/** Another server failed; the message is a sentence for people, without paths. */
export class PeerFault extends Error {
  override readonly name = 'PeerFault';
  readonly trouble: PeerTrouble;
  /** The HTTP status of a refusal. */
  readonly status: number | null;
  constructor(trouble: PeerTrouble, detail: string, status: number | null = null) {
    super(detail);
    this.trouble = trouble;
    this.status = status;
  }
  /** The outcome is unknown: the server may have acted on the request without reporting it. */
  get outcomeUnknown(): boolean {
    return this.trouble !== 'unreachable' && this.trouble !== 'refused';
  }
}

export interface PeerCall {
  /** The address of the server, such as `http://127.0.0.1:9889`; a path in it is kept. */
  base: string;
  method: 'GET' | 'POST';
  /** Begins with a slash; its parts are already encoded. */
  path: string;
  body?: unknown;
  /** For the whole call; null if only `signal` ends it. */
  timeoutMs: number | null;
  signal?: AbortSignal;
}

/** In bytes. */
const longestAnswer = 16 * 1024 * 1024;
/** Not Implemented and Service Unavailable: nothing was begun. */
const saysNo = new Set([501, 503]);
/** The number of characters of a refusal's own text that are passed on. */
const maxReason = 300;

/**
 * Requests JSON of a known shape from another server; fields that the shape does not name are left alone.
 * @throws {PeerFault} and nothing else.
 */
export async function askPeer<S extends TSchema>(call: PeerCall, schema: S): Promise<Static<S>> {
  const name = serverName(call.base);
  const value = parse(await askPeerText(call), name);
  if (Value.Check(schema, value)) return value as Static<S>;
  const where = Value.Errors(schema, value).First()?.path || '(root)';
  throw new PeerFault(
    'invalid_answer',
    `The answer of the server at ${name} cannot be used: field ${where}.`,
  );
}

/** Returns the text of a successful answer. @throws {PeerFault} and nothing else. */
export async function askPeerText(call: PeerCall): Promise<string> {
  const name = serverName(call.base);
  const { status, text } = await exchange(call, name);
  if (status >= 200 && status < 300) return text;
  const reason = reasonOf(text);
  throw new PeerFault(
    status >= 500 && !saysNo.has(status) ? 'failed' : 'refused',
    `The server at ${name} answered ${status}${reason === '' ? '.' : `: ${reason}`}`,
    status,
  );
}

async function exchange(call: PeerCall, name: string): Promise<HttpAnswer> {
  const request = requestOf(call);
  if (!request)
    throw new PeerFault('unreachable', `The server at ${name} has an address that cannot be used.`);
  // Most gateways call no other server, and start sooner without it.
  const { HttpConnections } = await import('../../foundation/http-exchange.js');
  // A new connection for each call: a kept one that the server is about to close would look like a lost answer.
  const connections = new HttpConnections(false, { connectMilliseconds: 0, keepsConnections: false });
  try {
    return await connections.exchange(request);
  } catch (error) {
    if (!(error instanceof ExchangeFault)) throw error;
    const trouble = error.trouble === 'aborted' ? 'lost' : error.trouble;
    throw new PeerFault(trouble, `The server at ${name} ${wordsOf(error, call.timeoutMs)}.`);
  } finally {
    await connections.close();
  }
}

/** Returns null for an address that cannot be used. */
function requestOf({ base, method, path, body, timeoutMs, signal }: PeerCall): HttpCall | null {
  const url = URL.canParse(base) ? new URL(`${base.replace(/\/+$/, '')}${path}`) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return null;
  const headers: Record<string, string> = { Accept: 'application/json, text/plain' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const { username, password } = url;
  if (username !== '' || password !== '') {
    const credentials = `${querystring.unescape(username)}:${querystring.unescape(password)}`;
    headers.Authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  return {
    origin: url.origin,
    method,
    path: `${url.pathname}${url.search}`,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
    milliseconds: timeoutMs,
    signal: signal ?? null,
    longestAnswer,
  };
}

function wordsOf({ trouble, code }: ExchangeFault, timeoutMs: number | null): string {
  switch (trouble) {
    case 'silent':
      return `gave no answer within ${(timeoutMs ?? 0) / 1000} s`;
    case 'unreachable':
      return `cannot be reached (${code ?? 'no connection'})`;
    case 'invalid_answer':
      return code === null
        ? `sent an answer of more than ${longestAnswer / 1024 / 1024} MiB`
        : 'did not answer with HTTP';
    default:
      return `ended the connection before it had answered (${code ?? 'closed'})`;
  }
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PeerFault('invalid_answer', `The answer of the server at ${name} is not JSON.`);
  }
}

/** Returns the text of a refusal: FastAPI's `detail`, or nothing. */
function reasonOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    const words = typeof detail === 'string' ? detail : (JSON.stringify(detail) ?? '');
    return firstCodePoints(sanitiseLine(words), maxReason);
  } catch {
    return '';
  }
}

/** Returns host and port, without the user name and password that a URL may contain. */
const serverName = (base: string): string =>
  URL.canParse(base) ? new URL(base).host : 'an unusable address';

/** Returns the error that a caller sees; if the other server is at fault, its code is `peer_` and the kind of trouble. */
function peerError(error: unknown): RecordError {
  if (error instanceof PeerFault) return { code: `peer_${error.trouble}` as const, detail: error.message };
  if (error instanceof UnusableFile) return { code: 'unavailable', detail: sessionTrouble(error) };
  return internalFault(error as Error);
}

/** Returns the end of a turn that failed before the prompt was sent. */
export const failedUnsent = (error: unknown): TurnSigns => ({
  ...noSigns,
  reportedOutcome: { outcome: 'failed', error: peerError(error) },
});

/** Returns the end of a turn that failed while the prompt was handed over. */
export const handOverFailed = (error: unknown): TurnSigns => ({
  ...failedUnsent(error),
  outcomeUnknown: error instanceof PeerFault && error.outcomeUnknown ? error.message : null,
});

/** The end of a turn that was stopped before the server got the prompt. */
export const neverSent: TurnSigns = {
  ...noSigns,
  reportedOutcome: {
    outcome: 'interrupted',
    error: { code: 'interrupted', detail: 'The turn was interrupted before the prompt was sent.' },
  },
};

export const stopFailed = (error: unknown): StopOutcome => ({ outcome: 'failed', error: peerError(error) });

export const noAuthority: PromptRefusal = {
  code: 'unavailable',
  detail: 'The session manifest does not name the server that runs the agent.',
};
