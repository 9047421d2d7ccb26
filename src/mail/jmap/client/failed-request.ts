import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { ServerAnswer } from './exchange.js';
import { type Denial, denialIn } from './refusal.js';
import { serverWords } from './server-fault.js';

const ProblemSchema = Type.Object({
  type: Type.String(),
  title: Type.Optional(Type.String()),
  limit: Type.Optional(Type.String()),
  detail: Type.Optional(Type.String()),
});
type Problem = Static<typeof ProblemSchema>;

/** The type of a problem that is described by its status alone (RFC 7807, section 4.2). */
const blank = 'about:blank';

/** Returns undefined for a text that is not JSON. */
export function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Returns why a whole request was refused (RFC 7807); null where the server does not say. */
export function problemOf({ bytes }: ServerAnswer): Problem | null {
  const value = jsonOf(bytes);
  return Value.Check(ProblemSchema, value) ? value : null;
}

/** Returns why the server refuses the login; null for any other answer. */
export const denialOf = (answered: ServerAnswer): Denial | null =>
  denialIn({
    status: answered.status,
    title: problemOf(answered)?.title ?? null,
    retryAfter: retryAfterOf(answered.headers.get('retry-after')),
  });

/** Returns the server's words about a refusal, after a colon, for a sentence of ours; an empty text where there are none. */
export function saidIn(answered: ServerAnswer, secrets: readonly string[]): string {
  const { type, title, limit, detail } = problemOf(answered) ?? {};
  const parts = [type === blank ? undefined : type, limit, title, detail].filter(
    (part, index, all) => part && all.indexOf(part) === index,
  );
  const said = parts.length === 0 ? '' : `: ${serverWords(parts.join(', '), secrets)}`;
  const seconds = retryAfterOf(answered.headers.get('retry-after')) ?? 0;
  return seconds === 0 ? said : `${said} (again in ${durationWords(seconds)})`;
}

/** Pure: writes seconds for people, rounded up. */
const durationWords = (seconds: number): string =>
  seconds <= 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;

/** The result of a try. */
export interface TryResult {
  /** The status of the answer; null where none came. */
  status: number | null;
  /** The `type` of a problem (RFC 7807); null without one. */
  problem: string | null;
  /** The reason where the login was refused; null otherwise. */
  denial: Denial | null;
  /** The seconds that the server asks the client to wait; null where it names none. */
  retryAfter: number | null;
  /** Whether the outcome is unknown. */
  outcomeUnknown: boolean;
}

/**
 * Whether to try once more: not at all, at once with the credential or the session read again, or after a pause in milliseconds.
 */
type Plan = 'no' | 'new_credential' | 'new_session' | { after: number };

const limitProblem = 'urn:ietf:params:jmap:error:limit';
/** The most tries with a server that is busy. */
const mostTries = 5;
const firstPause = 100;

/**
 * Pure: plans the next try. A change is repeated only where the server certainly has not begun it.
 * @param tries how many were made, including this one.
 * @param left milliseconds that remain.
 */
export function planAfter(
  { status, problem, denial, retryAfter, outcomeUnknown }: TryResult,
  { changes, tries, left }: { changes: boolean; tries: number; left: number },
): Plan {
  if (tries >= mostTries) return 'no';
  if (denial !== null) return tries === 1 ? 'new_credential' : 'no';
  if (status === 404) return tries === 1 ? 'new_session' : 'no';
  const isBusy =
    status !== null && (status === 429 || problem === limitProblem || (status === 503 && !changes));
  const isLost = status === null && tries === 1 && (!changes || !outcomeUnknown);
  if (!isBusy && !isLost) return 'no';
  const after = retryAfter === null ? firstPause * 2 ** (tries - 1) : retryAfter * 1000;
  return after < left ? { after } : 'no';
}

/** Pure: returns the seconds of a `Retry-After`; null for a date, and where there is none. */
export const retryAfterOf = (header: string | null): number | null =>
  header !== null && /^\d{1,6}$/.test(header.trim()) ? Number(header) : null;
