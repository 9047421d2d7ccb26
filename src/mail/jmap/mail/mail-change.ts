import { Type } from '@sinclair/typebox';
import { MailFault } from '../../message/mail-fault.js';
import type { MarkChanges } from '../../transport/mail-transport.js';
import type { JmapClient } from '../client/jmap-client.js';
import type { MethodAnswers, MethodCall } from '../client/method-calls.js';
import type { AccountBoxes } from './account-boxes.js';
import type { MailRefs } from './email-ref.js';
import { answered, EmailsSchema, flagProperties, seen } from './email-schema.js';
import { PerId } from './submission.js';

const UpdatedSchema = Type.Object({ updated: PerId, notUpdated: PerId });

/** The marks of a message, and the boxes that it is in. */
interface Flags {
  keywords: unknown;
  mailboxIds: unknown;
}

export interface Change {
  /** The only box that the message is in afterwards; where it is left out, the message stays. */
  box?: string;
  read?: boolean;
  answered?: boolean;
}

/** Marks and moves messages: all of them or none. */
export class MailChange {
  readonly #client: JmapClient;
  readonly #boxes: AccountBoxes;
  readonly #refs: MailRefs;

  constructor(client: JmapClient, boxes: AccountBoxes, refs: MailRefs) {
    this.#client = client;
    this.#boxes = boxes;
    this.#refs = refs;
  }

  /** @throws {MailFault} `message_unknown` */
  async apply(ids: readonly string[], change: Change): Promise<void> {
    const before = await this.#flagsOf(ids);
    const mailboxId = change.box === undefined ? null : await this.#boxes.need(change.box);
    const { objectsInSet } = (await this.#client.document()).limits;
    const done: string[] = [];
    const all = [...before];
    try {
      for (let at = 0; at < all.length; at += objectsInSet) {
        const some = all.slice(at, at + objectsInSet);
        await this.#update(
          some.map(([id]) => [id, patchOf(change, mailboxId)]),
          done,
        );
      }
    } catch (error) {
      await this.#takeBack(before, done);
      throw error;
    }
  }

  /** Applies patches, and adds the ids of the changed messages to `done`. */
  async #update(patches: [string, object][], done: string[]): Promise<void> {
    const set: MethodCall = ['Email/set', { update: Object.fromEntries(patches) }, 'set'];
    const answers = await this.#client.call('change', [set]);
    const { updated, notUpdated } = answers.of(set, UpdatedSchema);
    done.push(...Object.keys(updated ?? {}));
    const [failed] = Object.entries(notUpdated ?? {});
    if (failed) throw this.#refusal(answers, failed);
    const unmentioned = patches.find(([id]) => !(id in (updated ?? {})));
    if (unmentioned) throw answers.unmentioned(`message ${unmentioned[0]}`);
  }

  /** Undoes what was done before a refusal. @throws {MailFault} `outcome_unknown` where that fails. */
  async #takeBack(before: ReadonlyMap<string, Flags>, done: readonly string[]): Promise<void> {
    const back: string[] = [];
    try {
      const { objectsInSet } = (await this.#client.document()).limits;
      for (let at = 0; at < done.length; at += objectsInSet) {
        const some = done.slice(at, at + objectsInSet);
        await this.#update(
          some.map((id) => [id, before.get(id) ?? {}]),
          back,
        );
      }
    } catch (error) {
      if (!(error instanceof MailFault)) throw error;
      const detail = `some of the messages may be changed: ${error.message}`;
      throw new MailFault('outcome_unknown', detail, { cause: error });
    }
  }

  #refusal(answers: MethodAnswers, [id, error]: [string, unknown]): Error {
    const { type } = (error ?? {}) as { type?: unknown };
    return type === 'notFound' ? this.#refs.unknown(id) : answers.refused(`to change message ${id}`, error);
  }

  async #flagsOf(ids: readonly string[]): Promise<Map<string, Flags>> {
    const { objectsInGet } = (await this.#client.document()).limits;
    const wanted = [...new Set(ids)];
    const found = new Map<string, Flags>();
    for (let at = 0; at < wanted.length; at += objectsInGet) {
      const some = wanted.slice(at, at + objectsInGet);
      const get: MethodCall = ['Email/get', { ids: some, properties: flagProperties }, 'get'];
      const { list } = (await this.#client.call('look', [get])).of(get, EmailsSchema);
      for (const { id, keywords, mailboxIds } of list) found.set(id as string, { keywords, mailboxIds });
    }
    const missing = wanted.find((id) => !found.has(id));
    if (missing !== undefined) throw this.#refs.unknown(missing);
    return found;
  }
}

/** Pure: writes a change as a patch; null removes a keyword. */
function patchOf({ read, answered: isAnswered }: Change, mailboxId: string | null): Record<string, unknown> {
  return {
    ...(read !== undefined && { [`keywords/${seen}`]: read ? true : null }),
    ...(isAnswered !== undefined && { [`keywords/${answered}`]: isAnswered ? true : null }),
    ...(mailboxId !== null && { mailboxIds: { [mailboxId]: true } }),
  };
}

/** Pure: returns the change for a mark. A message that goes to the archive counts as read. */
export const changeOf = ({ archived, ...flags }: MarkChanges): Change => ({
  ...flags,
  ...(archived !== undefined && { box: archived ? 'archive' : 'inbox' }),
  ...(archived === true && { read: true }),
});
