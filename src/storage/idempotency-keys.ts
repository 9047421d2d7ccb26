import { createHash } from 'node:crypto';
import { toSortedJson } from '../foundation/json-text.js';
import type { Store, TableSchema } from './store.js';

/**
 * The kinds of calls that take an `Idempotency-Key`. A key belongs to one kind: the same text stands for other calls in
 * another kind.
 */
export type KeyScope =
  /** Requests for the queue of a gateway. */
  | 'request'
  /** Prompts that a gateway hands to the agent at once. */
  | 'direct_prompt'
  /** Reminders that are stored. */
  | 'reminder'
  /** Messages of the agent. */
  | 'mail'
  /** Prompts and interrupts that a server gave the agent without a gateway. */
  | 'server'
  /** Notifications of a server. */
  | 'notification';

/** The call that a key stands for. */
export interface KeyedCall {
  /** The {@link bodyDigest} of the call. */
  digest: string;
  /** The id of the request, turn or message that was, or is to be, made for it; empty where there is none. */
  subject: string;
  /** The answer as JSON; null until there is one, and permanently where the program died before it. */
  answer: string | null;
  /** Milliseconds since 1970. */
  at: number;
}

/** The outcome of the check of a key: whether it is new, came with the same call before, or with another one. */
export type KeyCheck = 'new' | 'another_call' | KeyedCall;

/** Digests the content of a call, whatever the order of its fields. */
export const bodyDigest = (body: unknown): string =>
  createHash('sha256').update(toSortedJson(body)).digest('hex');

/** Pure: the rule of docs/decisions.md#idempotency-keys. */
export const checkKey = <Known extends Pick<KeyedCall, 'digest'>>(
  known: Known | null,
  digest: string,
): 'new' | 'another_call' | Known => {
  if (known === null) return 'new';
  return known.digest === digest ? known : 'another_call';
};

export const idempotencySchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS idempotency_keys (
  number INTEGER PRIMARY KEY,
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  body_digest TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  answer_json TEXT,
  at INTEGER NOT NULL,
  UNIQUE (scope, key)
);
`,
  indexes: `
CREATE INDEX IF NOT EXISTS idempotency_keys_by_subject ON idempotency_keys (scope, subject_id);
`,
};

/** Reads one key, with its scope and key as parameters. */
export const findKeySql =
  'SELECT body_digest AS digest, subject_id AS subject, answer_json AS answer, at FROM idempotency_keys WHERE scope = ? AND key = ?';

/** The keys of one kind of calls, in the table `idempotency_keys`. Methods that write are called inside `Journal.write`. */
export class IdempotencyKeys {
  readonly #scope: KeyScope;
  readonly #statements;

  constructor(store: Store, scope: KeyScope) {
    this.#scope = scope;
    this.#statements = {
      find: store.prepare<[string, string], KeyedCall>(findKeySql),
      insert: store.prepare<[string, string, string, string, string | null, number]>(
        'INSERT INTO idempotency_keys (scope, key, body_digest, subject_id, answer_json, at) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      answer: store.prepare<[string, string, string]>(
        'UPDATE idempotency_keys SET answer_json = ? WHERE scope = ? AND key = ?',
      ),
      forgetSubject: store.prepare<[string, string]>(
        'DELETE FROM idempotency_keys WHERE scope = ? AND subject_id = ?',
      ),
      forgetBefore: store.prepare<[string, number, number]>(
        `DELETE FROM idempotency_keys WHERE number IN (
           SELECT number FROM idempotency_keys WHERE scope = ? AND at < ? ORDER BY number LIMIT ?)`,
      ),
      forgetBeyond: store.prepare<[string, number]>(
        `DELETE FROM idempotency_keys WHERE number IN (
           SELECT number FROM (
             SELECT number, sum(length(answer_json) + 512) OVER (ORDER BY number DESC) AS size
             FROM idempotency_keys WHERE scope = ?)
           WHERE size > ?)`,
      ),
    };
  }

  find(key: string): KeyedCall | null {
    return this.#statements.find.get(this.#scope, key) ?? null;
  }
  check(key: string, digest: string): KeyCheck {
    return checkKey(this.find(key), digest);
  }
  insert(key: string, { digest, subject, answer, at }: KeyedCall): void {
    this.#statements.insert.run(this.#scope, key, digest, subject, answer, at);
  }
  answer(key: string, answer: string): void {
    this.#statements.answer.run(answer, this.#scope, key);
  }
  forgetSubject(subject: string): void {
    this.#statements.forgetSubject.run(this.#scope, subject);
  }
  /**
   * @param before milliseconds since 1970.
   * @returns how many were forgotten, `most` at most.
   */
  forgetBefore(before: number, most: number): number {
    return this.#statements.forgetBefore.run(this.#scope, before, most).changes;
  }
  /** Forgets the oldest keys whose answers exceed that number of characters in all. */
  forgetBeyond(characters: number): void {
    this.#statements.forgetBeyond.run(this.#scope, characters);
  }
}
