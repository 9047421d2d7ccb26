import { createHash } from 'node:crypto';
import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { toSortedJson } from '../../foundation/json-text.js';
import { fixedStamps, freshStamp } from '../../mail/facade/mail-facade.js';
import { MailRefusal } from '../../mail/message/mail-refusal.js';
import type { MailboxBinding } from '../../mail/open-transport.js';
import type { MessageStamp, MessageStamps } from '../../mail/transport/mail-transport.js';
import type { MailSubmissionTable } from './mail-submission-table.js';

export interface MessageStampParts {
  journal: Journal;
  table: MailSubmissionTable;
  clock: Clock;
}

/** What is asked for, by whom and where: the same key stands for the same of it. */
export interface MailCall {
  /** Null for a call that is not to be repeated. */
  key: string | null;
  operation: string;
  mailbox: MailboxBinding;
  body: unknown;
}

/** Chooses which message is to come of a call. With a key the choice is on disk before the message is, and every repetition gets the same. */
export class CallStamps {
  readonly #parts: MessageStampParts;

  constructor(parts: MessageStampParts) {
    this.#parts = parts;
  }

  of(call: MailCall): MessageStamps {
    const { journal, table, clock } = this.#parts;
    const { key } = call;
    if (key === null) return fixedStamps(freshStamp(clock.now()));
    const keep = this.#keeper(call, key);
    return {
      chosen: async () => {
        const stamp = freshStamp(clock.now());
        const isKnown = journal.read(() => table.find(key)) !== null;
        // What another call has written may not be on disk yet.
        return isKnown ? keep(stamp) : stamp;
      },
      keep,
    };
  }

  #keeper(call: MailCall, key: string): MessageStamps['keep'] {
    const { journal, table } = this.#parts;
    const { operation } = call;
    const digest = digestOf(call);
    const kept = (stamp: MessageStamp): MessageStamp => {
      const earlier = table.find(key);
      if (earlier === null) {
        table.insert(key, { operation, body_digest: digest, message_id: stamp.messageId, at: stamp.at });
        return stamp;
      }
      if (earlier.operation !== operation || earlier.body_digest !== digest)
        throw new MailRefusal('Idempotency-Key', 'was used before with another body or mailbox');
      return { messageId: earlier.message_id, at: earlier.at, again: true };
    };
    return (stamp) => journal.write(() => kept(stamp));
  }
}

/** Another mailbox knows nothing of what came of a key: it would deliver once more. */
function digestOf({ mailbox, body }: MailCall): string {
  const { transport, principal_id, address } = mailbox;
  const place = mailbox.transport === 'filesystem' ? mailbox.filesystem_root : mailbox.jmap_url;
  const subject = { mailbox: { transport, principal_id, address, place }, body };
  return createHash('sha256').update(toSortedJson(subject)).digest('hex');
}
