// The entry `@houmao/sdk/webhooks`: it needs nothing of Node, so it also runs in workers and browsers.
import type { components } from '../generated/managed-agent/types/client.js';

/** The body of a webhook, verified: the event in `data.event` is typed by its `kind`. */
export type WebhookMessage = components['schemas']['NotificationMessage'];

/** The reason why a webhook is refused. */
export type WebhookErrorCode =
  /** A header of the three is missing, or is not what the standard says. */
  | 'bad_headers'
  /** It was signed too long ago, or in the future: it may be a repeat by a third party. */
  | 'bad_timestamp'
  /** No signature is one of this body with one of these secrets. */
  | 'bad_signature'
  /** The secret is not one of Standard Webhooks: `whsec_` and base64. */
  | 'bad_secret'
  /** The signature is right, and the body is no message of Houmao. */
  | 'bad_body';

/** A webhook that must not be trusted. Answer it with 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly errorCode: WebhookErrorCode;

  constructor(errorCode: WebhookErrorCode, message: string) {
    super(message);
    this.errorCode = errorCode;
  }
}

/** The headers of a request: `Headers` of fetch, or those of Node. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** The most seconds between the signing and now. Default: 300. */
  toleranceSeconds?: number | undefined;
  /** The present time. Default: that of the machine. */
  now?: Date | undefined;
}

const usualTolerance = 300;

/**
 * Verifies a webhook of a Houmao server by the rules of Standard Webhooks, and returns its message.
 *
 * @param body as it came, byte for byte: JSON that was parsed and written again has another signature.
 * @param secret the one that the creation showed; while it is exchanged, both.
 * @throws {WebhookError} for everything that must not be trusted; `errorCode` says why.
 *
 * @example
 * ```ts
 * const { type, data } = await verifyWebhook(await request.text(), request.headers, secret);
 * if (data.question !== null) console.log(`${data.title}: ${data.question.text}`);
 * ```
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = usualTolerance, now = new Date() }: VerifyOptions = {},
): Promise<WebhookMessage> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  ) as [string, string, string];
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookError('bad_headers', 'The header webhook-timestamp is no number of seconds.');
  const age = Math.round(now.getTime() / 1000 - Number(timestamp));
  if (Math.abs(age) > toleranceSeconds)
    throw new WebhookError(
      'bad_timestamp',
      `The webhook was signed ${age < 0 ? `${-age} s in the future` : `${age} s ago`}; ${toleranceSeconds} s are allowed. Look at the clocks of both machines.`,
    );
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  if (!(await isSigned(signed, signatures, typeof secret === 'string' ? [secret] : secret)))
    throw new WebhookError(
      'bad_signature',
      'No signature of the webhook fits: the secret is another one, or the body is not the one that was sent. Pass the body as it came.',
    );
  return messageIn(text);
}

/** @throws {WebhookError} where the header is missing. */
function headerOf(headers: WebhookHeaders, name: string): string {
  const isFetch = (given: WebhookHeaders): given is { get(name: string): string | null } =>
    typeof given.get === 'function';
  const value = isFetch(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = typeof value === 'object' && value !== null ? value.join(' ') : value;
  if (!text) throw new WebhookError('bad_headers', `The header ${name} is missing.`);
  return text;
}

async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  secrets: readonly string[],
): Promise<boolean> {
  const ours = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => bytesOf(one.slice(3)));
  for (const secret of secrets) {
    const key = bytesOf(secret.replace(/^whsec_/, ''));
    if (key === null || key.length === 0)
      throw new WebhookError('bad_secret', 'The secret is not whsec_ and base64.');
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify']);
    for (const signature of ours)
      if (signature && (await crypto.subtle.verify('HMAC', imported, signature, signed))) return true;
  }
  return false;
}

/** @returns null for a text that is not base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** @throws {WebhookError} where it is no message. */
function messageIn(text: string): WebhookMessage {
  let message: Partial<WebhookMessage> | null;
  try {
    message = JSON.parse(text);
  } catch {
    message = null;
  }
  if (typeof message?.type !== 'string' || typeof message.data !== 'object' || message.data === null)
    throw new WebhookError('bad_body', 'The webhook is signed, and its body is no message of Houmao.');
  return message as WebhookMessage;
}
