import { createHash } from 'node:crypto';

/**
 * Why a server lets somebody not in: `credential`, it is not the right one; `caller`, whatever is shown: the server blocks this host's
 * address, or forbids the account.
 */
export type Denial = 'credential' | 'caller';

/** A credential that a server did not let in. Nothing of it is readable here. */
export interface Refusal {
  /** Which credential it was. */
  digest: string;
  denial: Denial;
  /** How often in a row. */
  count: number;
  /** It is not shown again before; milliseconds since 1970. */
  until: number;
  /** What the server said, for people. */
  words: string;
}

const minute = 60_000;
/** Milliseconds until it is shown again: at first, and at most. */
const pauses: Readonly<Record<Denial, { first: number; longest: number }>> = {
  // Servers are known that block an address for ever after 100 refusals a day, of all that share it together.
  credential: { first: 60 * minute, longest: 24 * 60 * minute },
  // Being asked again makes a block no longer, and who lifts it wants the mail back soon.
  caller: { first: minute, longest: 60 * minute },
};

/** What a status is told by. */
interface Told {
  status: number;
  /** Of a problem (RFC 7807); null without one. */
  title: string | null;
  /** Seconds; null where the server does not say. */
  retryAfter: number | null;
}

/** Pure: null for any other answer, such as too many requests, which pass. */
export function denialIn({ status, title, retryAfter }: Told): Denial | null {
  if (status === 401) return 'credential';
  if (status === 403) return 'caller';
  // Of requests a server says when there may be more; of sign-ins it does not, and the next one may be the one too many.
  return status === 429 && retryAfter === null && /authenticat/i.test(title ?? '') ? 'caller' : null;
}

/** Pure: milliseconds after so many refusals in a row. */
export const pauseAfter = (denial: Denial, count: number): number =>
  Math.min(pauses[denial].first * 2 ** (count - 1), pauses[denial].longest);

/** Pure: which credential it is of which server, to whoever has it. */
export const digestOf = (server: string, authorization: string): string =>
  createHash('sha256').update(`${server}\n${authorization}`).digest('hex');

/** Pure: another refusal. @param before of the same client, of whatever credential. @param now milliseconds since 1970. */
export function refusedAgain(
  before: Refusal | null,
  { digest, denial, words }: Pick<Refusal, 'digest' | 'denial' | 'words'>,
  now: number,
): Refusal {
  const isSame = before?.digest === digest && before.denial === denial;
  const count = isSame ? before.count + 1 : 1;
  return { digest, denial, words, count, until: now + pauseAfter(denial, count) };
}

/** Pure: whether that credential is not to be shown now. A clock that was set back holds nothing for ever. */
export const isHeldBack = (refusal: Refusal | null, digest: string, now: number): refusal is Refusal =>
  refusal !== null &&
  refusal.digest === digest &&
  now < refusal.until &&
  refusal.until - now <= pauses[refusal.denial].longest;

/** Pure: what holds a credential back, for people. @param note the file that says so; null without one. */
export function heldBackWords({ words, denial, until }: Refusal, note: string | null): string {
  const when = new Date(until).toISOString().slice(0, 19);
  const what = denial === 'credential' ? 'it is not shown again' : 'the server is not asked again';
  return `${words}; ${what} before ${when}Z, unless it is replaced${note === null ? '' : ` or ${note} removed`}`;
}

/** Pure: who is not let in, for a sentence. @param said the server's own words. */
export const deniedWords = (shown: string, denial: Denial, status: number, said: string): string =>
  denial === 'credential'
    ? `${shown} does not accept the credential (${status}${said})`
    : `${shown} refuses every login from here (${status}${said}): it blocks the address of this host, or forbids the account; the credential was not checked`;
