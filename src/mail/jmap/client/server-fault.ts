import { sanitiseLine } from '../../../foundation/text.js';
import { MailFault, type MailFaultCode } from '../../message/mail-fault.js';
import type { Denial } from './refusal.js';

/** A mail server that did not do what it was asked for. The message names the server, and holds no secret. */
export class ServerFault extends MailFault {
  /** Whether the server may have done it all the same. */
  readonly mayBeDone: boolean;
  /** What JMAP calls the error, such as `stateMismatch`; null where no answer came, or none of JMAP. */
  readonly type: string | null;
  /** Of one who is not let in; null for any other fault. */
  readonly denial: Denial | null;

  constructor(
    code: Extract<MailFaultCode, 'unreachable' | 'unauthorized' | 'server_refused'>,
    message: string,
    options: ErrorOptions & { mayBeDone?: boolean; type?: string | null; denial?: Denial } = {},
  ) {
    super(code, message, options);
    this.mayBeDone = options.mayBeDone ?? false;
    this.type = options.type ?? null;
    this.denial = options.denial ?? null;
  }
}

/** Pure: the fault of one who is not let in. */
export const denied = (denial: Denial, words: string): ServerFault =>
  new ServerFault(denial === 'credential' ? 'unauthorized' : 'server_refused', words, { denial });

/** The server does not have the method: not every server has those that only tell. */
export const isMethodUnknown = (error: unknown): boolean =>
  error instanceof ServerFault && error.type === 'unknownMethod';

const longestWords = 200;

/** What a server says of an error, for a sentence of ours. @param secrets that it may repeat, and we do not. */
export const serverWords = (text: string, secrets: readonly string[]): string =>
  sanitiseLine(secrets.reduce((said, secret) => said.replaceAll(secret, '***'), text)).slice(0, longestWords);

/** A server, as a fault tells of it. */
export interface ToldServer {
  /** Its address. */
  shown: string;
  secrets: readonly string[];
  /** Whether it was asked to change something. */
  changes: boolean;
}

/** What errors of mail servers mean to a person: SetErrors of RFC 8620 and RFC 8621, and problems of whole requests. */
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

/** Pure: null for what says all by itself, or nothing to us. */
export const meaningOf = (type: string): string | null =>
  Object.hasOwn(meanings, type) ? meanings[type]! : null;

/** Pure: a status of HTTP, for a sentence. */
export const statusWords = (status: number): string =>
  status in statuses ? `${status} (${statuses[status]})` : `${status}`;
