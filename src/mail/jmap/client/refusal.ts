import { createHash } from 'node:crypto';

/**
 * Why a server refuses a login: `credential`, it is not the right one; `caller`, any credential is refused: the server blocks
 * this host's address, or forbids the account.
 */
export type Denial = 'credential' | 'caller';

/** A record of a credential that a server refused. It does not contain the credential. */
export interface CredentialRefusal {
  /** Identifies the credential. */
  digest: string;
  denial: Denial;
  /** The number of refusals in a row. */
  count: number;
  /** The credential is not used again before this time; milliseconds since 1970. */
  until: number;
  /** The server's words, for people. */
  words: string;
}

const minute = 60_000;
/** Milliseconds until the credential is used again: at first, and at most. */
const pauses: Readonly<Record<Denial, { first: number; longest: number }>> = {
  // Some servers block an address for ever after 100 refusals a day, and with it every user of that address.
  credential: { first: 60 * minute, longest: 24 * 60 * minute },
  // Another try does not prolong a block, and a person who lifts it wants mail to work again soon.
  caller: { first: minute, longest: 60 * minute },
};

/** The parts of an answer that show whether the login was refused. */
interface DenialEvidence {
  status: number;
  /** The title of a problem (RFC 7807); null without one. */
  title: string | null;
  /** In seconds; null where the server does not say. */
  retryAfter: number | null;
}

/** Pure: returns null for any other answer, such as one about too many requests, which is temporary. */
export function denialIn({ status, title, retryAfter }: DenialEvidence): Denial | null {
  if (status === 401) return 'credential';
  if (status === 403) return 'caller';
  // About requests, a server says when the next one is allowed; about sign-ins it does not, and one more may be too many.
  return status === 429 && retryAfter === null && /authenticat/i.test(title ?? '') ? 'caller' : null;
}

/** Pure: returns the milliseconds to wait after `count` refusals in a row. */
export const pauseAfter = (denial: Denial, count: number): number =>
  Math.min(pauses[denial].first * 2 ** (count - 1), pauses[denial].longest);

/** Pure: identifies the credential of a server, to programs that have the credential. */
export const digestOf = (server: string, authorization: string): string =>
  createHash('sha256').update(`${server}\n${authorization}`).digest('hex');

/**
 * Pure: records another refusal.
 * @param before the last one of this client, for any credential.
 * @param now milliseconds since 1970.
 */
export function refusedAgain(
  before: CredentialRefusal | null,
  { digest, denial, words }: Pick<CredentialRefusal, 'digest' | 'denial' | 'words'>,
  now: number,
): CredentialRefusal {
  const isSame = before?.digest === digest && before.denial === denial;
  const count = isSame ? before.count + 1 : 1;
  return { digest, denial, words, count, until: now + pauseAfter(denial, count) };
}

/**
 * Pure: decides whether a credential must not be used now. A refusal that ends too late, because the
 * clock was set back, does not count.
 */
export const isHeldBack = (
  refusal: CredentialRefusal | null,
  digest: string,
  now: number,
): refusal is CredentialRefusal =>
  refusal !== null &&
  refusal.digest === digest &&
  now < refusal.until &&
  refusal.until - now <= pauses[refusal.denial].longest;

/** Pure: says for people why a credential is held back. @param note the file that records it; null without one. */
export function heldBackWords({ words, denial, until }: CredentialRefusal, note: string | null): string {
  const when = new Date(until).toISOString().slice(0, 19);
  const what = denial === 'credential' ? 'it is not shown again' : 'the server is not asked again';
  return `${words}; ${what} before ${when}Z, unless it is replaced${note === null ? '' : ` or ${note} removed`}`;
}

/** Pure: writes the sentence about a refused login. @param said the server's own words. */
export const deniedWords = (shown: string, denial: Denial, status: number, said: string): string =>
  denial === 'credential'
    ? `${shown} does not accept the credential (${status}${said})`
    : `${shown} refuses every login from here (${status}${said}): it blocks the address of this host, or forbids the account; the credential was not checked`;
