import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { fixedStamps, freshStamp } from '../../mail/facade/mail-facade.js';
import { MailRefusal } from '../../mail/message/mail-fault.js';
import type { MailboxBinding } from '../../mail/open-transport.js';
import type { MessageStamp, MessageStamps } from '../../mail/transport/mail-transport.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { sessionCredentials } from '../../session/session-secrets.js';
import { bodyDigest, IdempotencyKeys } from '../../storage/idempotency-keys.js';
import type { Store } from '../../storage/store.js';
import { SessionMailbox } from './session-mailbox.js';

/** The agent's mail: its mailbox, and the record of the messages that were begun. */
export class SessionMail {
  readonly mailbox: SessionMailbox;
  readonly stamps: CallStamps;
  readonly keys: IdempotencyKeys;
  readonly attachmentFolder: string;

  constructor(parts: {
    manifest: () => Manifest;
    paths: SessionPaths;
    store: Store;
    journal: Journal;
    clock: Clock;
  }) {
    const { manifest, paths, store, journal, clock } = parts;
    this.mailbox = new SessionMailbox(manifest, { clock, ...sessionCredentials(paths) });
    this.attachmentFolder = paths.mailAttachments;
    this.keys = new IdempotencyKeys(store, 'mail');
    this.stamps = new CallStamps({ journal, keys: this.keys, clock });
  }

  close(): void {
    this.mailbox.close();
  }
}

interface MessageStampParts {
  journal: Journal;
  keys: IdempotencyKeys;
  clock: Clock;
}

/** A call that makes a message: a key always stands for the same operation, mailbox and body. */
export interface OutgoingMailCall {
  /** Null for a call that is not to be repeated. */
  key: string | null;
  operation: string;
  mailbox: MailboxBinding;
  body: unknown;
}

/**
 * The choice of the message for a call. With a key the choice is on disk before the message is, and every repetition gets
 * the same one.
 */
class CallStamps {
  readonly #parts: MessageStampParts;

  constructor(parts: MessageStampParts) {
    this.#parts = parts;
  }

  of(call: OutgoingMailCall): MessageStamps {
    const { journal, keys, clock } = this.#parts;
    const { key } = call;
    if (key === null) return fixedStamps(freshStamp(clock.now()));
    const keep = this.#keeper(call, key);
    return {
      chosen: async () => {
        const stamp = freshStamp(clock.now());
        const isKnown = journal.read(() => keys.find(key)) !== null;
        // A choice that another call has written may not be on disk yet.
        return isKnown ? keep(stamp) : stamp;
      },
      keep,
    };
  }

  #keeper(call: OutgoingMailCall, key: string): MessageStamps['keep'] {
    const { journal, keys } = this.#parts;
    const digest = digestOf(call);
    const kept = (stamp: MessageStamp): MessageStamp => {
      const earlier = keys.check(key, digest);
      if (earlier === 'another_call')
        throw new MailRefusal('Idempotency-Key', 'was used before with another body or mailbox');
      if (earlier !== 'new') return { messageId: earlier.subject, at: earlier.at, again: true };
      keys.insert(key, { digest, subject: stamp.messageId, answer: null, at: stamp.at });
      return stamp;
    };
    return (stamp) => journal.write(() => kept(stamp));
  }
}

/**
 * Digests the operation and the mailbox together with the body: another mailbox does not know what was sent under a key, and would deliver
 * it again.
 */
function digestOf({ operation, mailbox, body }: OutgoingMailCall): string {
  const { transport, principal_id, address } = mailbox;
  const place = mailbox.transport === 'filesystem' ? mailbox.filesystem_root : mailbox.jmap_url;
  return bodyDigest({ operation, mailbox: { transport, principal_id, address, place }, body });
}
