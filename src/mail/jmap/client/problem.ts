import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Answered } from './exchange.js';
import { type Denial, denialIn } from './refusal.js';
import { retryAfterOf } from './retry-plan.js';
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
