import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Answered } from './exchange.js';
import { type Denial, denialIn } from './refusal.js';
import { serverWords } from './server-fault.js';

const ProblemSchema = Type.Object({
  type: Type.String(),
  title: Type.Optional(Type.String()),
  limit: Type.Optional(Type.String()),
  detail: Type.Optional(Type.String()),
});
type Problem = Static<typeof ProblemSchema>;

/** A type that says nothing: the status says all (RFC 7807, section 4.2). */
const blank = 'about:blank';

/** Undefined for what is no JSON. */
export function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Why a whole request was refused (RFC 7807); null where the server does not say. */
export function problemOf({ bytes }: Answered): Problem | null {
  const value = jsonOf(bytes);
  return Value.Check(ProblemSchema, value) ? value : null;
}

/** Why the server lets nobody in; null where it does, whatever else it says. */
export const denialOf = (answered: Answered): Denial | null =>
  denialIn({
    status: answered.status,
    title: problemOf(answered)?.title ?? null,
    retryAfter: retryAfterOf(answered.headers.get('retry-after')),
  });

/** What the server says of a refusal, behind a colon, for a sentence of ours; nothing where it says nothing. */
export function saidIn(answered: Answered, secrets: readonly string[]): string {
  const { type, title, limit, detail } = problemOf(answered) ?? {};
  const parts = [type === blank ? undefined : type, limit, title, detail].filter(
    (part, index, all) => part && all.indexOf(part) === index,
  );
  const said = parts.length === 0 ? '' : `: ${serverWords(parts.join(', '), secrets)}`;
  const seconds = retryAfterOf(answered.headers.get('retry-after')) ?? 0;
  return seconds === 0 ? said : `${said} (again in ${durationWords(seconds)})`;
}

/** Pure: seconds, for people, never too few. */
const durationWords = (seconds: number): string =>
  seconds <= 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;

/** What came of a try. */
export interface Outcome {
  /** Of the answer; null where none came. */
  status: number | null;
  /** The `type` of a problem (RFC 7807); null without one. */
  problem: string | null;
  /** Nobody is let in with that. */
  denial: Denial | null;
  /** Seconds that the server asks for; null where it asks for none. */
  retryAfter: number | null;
  /** The server may have done it. */
  mayBeDone: boolean;
}

/**
 * Whether to try once more: not at all, at once with the credential or the session read anew, or after so many milliseconds.
 */
type Plan = 'no' | 'new_credential' | 'new_session' | { after: number };

const limitProblem = 'urn:ietf:params:jmap:error:limit';
/** Tries after which a server that has no time is left alone. */
const mostTries = 5;
const firstPause = 100;

/**
 * Pure: what changes something is repeated only where the server surely has not begun it.
 * @param tries so many were made, this one too. @param left milliseconds that remain.
 */
export function planAfter(
  { status, problem, denial, retryAfter, mayBeDone }: Outcome,
  { changes, tries, left }: { changes: boolean; tries: number; left: number },
): Plan {
  if (tries >= mostTries) return 'no';
  if (denial !== null) return tries === 1 ? 'new_credential' : 'no';
  if (status === 404) return tries === 1 ? 'new_session' : 'no';
  const isBusy =
    status !== null && (status === 429 || problem === limitProblem || (status === 503 && !changes));
  const isLost = status === null && tries === 1 && (!changes || !mayBeDone);
  if (!isBusy && !isLost) return 'no';
  const after = retryAfter === null ? firstPause * 2 ** (tries - 1) : retryAfter * 1000;
  return after < left ? { after } : 'no';
}

/** Pure: seconds of a `Retry-After`; null for a date, and where there is none. */
export const retryAfterOf = (header: string | null): number | null =>
  header !== null && /^\d{1,6}$/.test(header.trim()) ? Number(header) : null;
