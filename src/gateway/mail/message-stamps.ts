import { createHash } from 'node:crypto';
import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { toSortedJson } from '../../foundation/json-text.js';
import { freshStamp } from '../../mail/facade/mail-facade.js';
import { MailRefusal } from '../../mail/message/mail-refusal.js';
import type { MessageStamp } from '../../mail/transport/mail-transport.js';
import type { MailSubmissionTable } from './mail-submission-table.js';

export interface MessageStampParts {
  journal: Journal;
  table: MailSubmissionTable;
  clock: Clock;
}

/** Chooses which message is to come of a call. With a key the choice is on disk first, and every repetition gets the same. */
export class MessageStamps {
  readonly #parts: MessageStampParts;

  constructor(parts: MessageStampParts) {
    this.#parts = parts;
  }

  /** @throws {MailRefusal} for a key that came with another body, or to another operation. */
  async of(key: string | null, operation: string, body: unknown): Promise<MessageStamp> {
    const { journal, table, clock } = this.#parts;
    const stamp = freshStamp(clock.now());
    if (key === null) return stamp;
    const digest = createHash('sha256').update(toSortedJson(body)).digest('hex');
    return journal.write(() => {
      const earlier = table.find(key);
      if (earlier === null) {
        table.insert(key, { operation, body_digest: digest, message_id: stamp.messageId, at: stamp.at });
        return stamp;
      }
      if (earlier.operation !== operation || earlier.body_digest !== digest)
        throw new MailRefusal('Idempotency-Key', 'was used before with another body');
      return { messageId: earlier.message_id, at: earlier.at, again: true };
    });
  }
}
