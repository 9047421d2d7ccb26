import { Webhook } from 'standardwebhooks';
import type { Clock } from '../../foundation/clock.js';
import { ExchangeFault } from '../../foundation/exchange-fault.js';
import { HttpConnections } from '../../foundation/http-exchange.js';
import { firstCodePoints, sanitiseLine } from '../../foundation/text.js';
import { version } from '../../foundation/version.js';
import type { Attempt, AttemptCode } from './notification.js';
import {
  hostOf,
  lookupPublic,
  PrivateAddress,
  privateAddressCode,
  requirePublic,
} from './public-addresses.js';

export interface WebhookParts {
  readonly allowsPrivate: boolean;
  /** The time that a receiver has for its answer. */
  readonly milliseconds: number;
  readonly clock: Clock;
}

/** A message as it leaves. */
export interface WebhookCall {
  readonly url: string;
  readonly messageId: string;
  /** JSON text. */
  readonly body: string;
  /** Each signs it. */
  readonly secrets: readonly string[];
}

/** The longest answer that is read, in bytes, and shown, in characters. */
const longestAnswer = 128 * 1024;
const shownCharacters = 300;

/** Sends messages by the rules of Standard Webhooks, each over a connection of its own. */
export class Webhooks {
  readonly #parts: WebhookParts;
  readonly #connections: HttpConnections;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
    this.#connections = new HttpConnections(false, {
      connectMilliseconds: parts.milliseconds,
      keepsConnections: false,
      ...(!parts.allowsPrivate && { lookup: lookupPublic }),
    });
  }

  /** Sends a message once; whatever the receiver does is an outcome. @param stopping ends it early. */
  async send({ url, messageId, body, secrets }: WebhookCall, stopping: AbortSignal): Promise<Attempt> {
    const { allowsPrivate, clock, milliseconds } = this.#parts;
    const now = clock.now();
    const { origin, pathname, search } = new URL(url);
    try {
      if (!allowsPrivate) requirePublic(hostOf(url));
      const { status, headers, text } = await this.#connections.exchange({
        origin,
        method: 'POST',
        path: `${pathname}${search}`,
        headers: {
          'content-type': 'application/json',
          'user-agent': `houmao/${version}`,
          'webhook-id': messageId,
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': secrets
            .map((secret) => new Webhook(secret).sign(messageId, now, body))
            .join(' '),
        },
        body,
        milliseconds,
        signal: stopping,
        longestAnswer,
        takesBeginning: true,
      });
      const ended = clock.now();
      return {
        ...judged(status, firstCodePoints(sanitiseLine(text), shownCharacters)),
        at: ended.getTime(),
        status,
        retryAfterSeconds: secondsOf(headers['retry-after'], ended),
      };
    } catch (error) {
      const failure = failureOf(error, url, milliseconds);
      if (failure === null) throw error;
      return { ...failure, at: clock.now().getTime(), status: null, retryAfterSeconds: null };
    }
  }

  /** Ends every call that is under way. */
  async close(): Promise<void> {
    await this.#connections.close();
  }
}

/** Pure: what it means that there is no answer; null for a fault in the code. */
function failureOf(
  error: unknown,
  url: string,
  milliseconds: number,
): { code: AttemptCode; detail: string } | null {
  if (error instanceof PrivateAddress) return { code: 'private_address', detail: error.message };
  if (!(error instanceof ExchangeFault)) return null;
  const { trouble, code } = error;
  if (code === privateAddressCode)
    return { code: 'private_address', detail: `${hostOf(url)} leads to an address that is not public.` };
  if (trouble === 'silent')
    return { code: 'timeout', detail: `The receiver did not answer in ${milliseconds / 1000} s.` };
  return { code: 'unreachable', detail: `The receiver cannot be reached: ${code ?? trouble}.` };
}

/** Pure: what an answer means. */
export function judged(status: number, said: string): Pick<Attempt, 'code' | 'detail'> {
  if (status >= 200 && status < 300) return { code: 'delivered', detail: `The receiver answered ${status}.` };
  if (status === 410)
    return { code: 'gone', detail: 'The receiver answered 410: it wants no more messages.' };
  if (status >= 300 && status < 400)
    return { code: 'redirected', detail: `The receiver answered ${status}; redirects are not followed.` };
  return {
    code: 'http_status',
    detail: `The receiver answered ${status}${said === '' ? '.' : `: ${said}`}`,
  };
}

/** Pure: the pause that a receiver asks for, in seconds; null for none. */
export function secondsOf(header: string | string[] | undefined, now: Date): number | null {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return null;
  const isMoment = /^[A-Za-z]{3}, /.test(text);
  const seconds = isMoment
    ? (Date.parse(text) - now.getTime()) / 1000
    : /^\d+$/.test(text)
      ? Number(text)
      : NaN;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}
