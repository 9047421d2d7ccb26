import { sanitiseLine } from '../../../foundation/text.js';
import { MailFault, type MailFaultCode } from '../../message/mail-fault.js';
import type { Denial } from './refusal.js';

/** A mail server did not do what was requested. The message names the server, and contains no secret. */
export class ServerFault extends MailFault {
  /** Whether the outcome is unknown. */
  readonly outcomeUnknown: boolean;
  /** JMAP's name of the error, such as `stateMismatch`; null where no answer came, or none of JMAP. */
  readonly type: string | null;
  /** Why the login was refused; null for any other fault. */
  readonly denial: Denial | null;

  constructor(
    code: Extract<MailFaultCode, 'unreachable' | 'unauthorized' | 'server_refused'>,
    message: string,
    options: ErrorOptions & { outcomeUnknown?: boolean; type?: string | null; denial?: Denial } = {},
  ) {
    super(code, message, options);
    this.outcomeUnknown = options.outcomeUnknown ?? false;
    this.type = options.type ?? null;
    this.denial = options.denial ?? null;
  }
}

/** Pure: makes the fault of a refused login. */
export const denied = (denial: Denial, words: string): ServerFault =>
  new ServerFault(denial === 'credential' ? 'unauthorized' : 'server_refused', words, { denial });

/** Decides whether the server does not have the method: some servers lack methods that only return information. */
export const isMethodUnknown = (error: unknown): boolean =>
  error instanceof ServerFault && error.type === 'unknownMethod';

const longestWords = 200;

/**
 * Returns a server's words about an error, for a sentence of ours.
 * @param secrets texts that it may repeat, and that are replaced.
 */
export const serverWords = (text: string, secrets: readonly string[]): string =>
  sanitiseLine(secrets.reduce((said, secret) => said.replaceAll(secret, '***'), text)).slice(0, longestWords);

/** A server, as messages about faults describe it. */
export interface FaultServer {
  /** Its address. */
  shown: string;
  secrets: readonly string[];
  /** Whether the request asked for a change. */
  changes: boolean;
}

/** The meaning of errors of mail servers for people: SetErrors of RFC 8620 and RFC 8621, and problems of whole requests. */
const meanings: Readonly<Record<string, string>> = {
  overQuota: 'the mailbox there is full',
  maxQuotaReached: 'the mailbox there is full',
  tooLarge: 'it is too large',
  requestTooLarge: 'it is too large',
  tooManyRecipients: 'it has too many recipients',
  rateLimit: 'there were too many in a short time',
  forbiddenFrom: 'the login may not send as that address',
  forbiddenMailFrom: 'the login may not send as that address',
  forbiddenToSend: 'the login may not send mail',
  primaryKeyViolation: 'something else there has that name or address',
  serverUnavailable: 'it is busy',
  'urn:ietf:params:jmap:error:limit': 'more was asked than it allows',
};

const statuses: Readonly<Record<number, string>> = {
  413: 'it is too large',
  429: 'too many requests in a short time',
  503: 'it is busy',
  507: 'it has no room left',
};

/** Pure: returns null for an error whose name says enough, or that is unknown here. */
export const meaningOf = (type: string): string | null =>
  Object.hasOwn(meanings, type) ? meanings[type]! : null;

/** Pure: writes an HTTP status for a sentence. */
export const statusWords = (status: number): string =>
  status in statuses ? `${status} (${statuses[status]})` : `${status}`;
