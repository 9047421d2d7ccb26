import type { OncePerKey } from '../../../foundation/once-per-key.js';
import type { Draft } from '../../message/compose.js';
import type { MailMessage } from '../../message/mail-message.js';
import type { MessageStamp, MessageStamps, OutgoingMail } from '../../transport/mail-transport.js';
import { outgoingDraft } from '../../transport/outgoing-draft.js';
import type { UploadedFile } from './email-draft.js';

/** A message on the server, and whether an earlier call had done it. */
export interface SentId {
  id: string;
  replayed: boolean;
}

/** A message that was begun, and whether the server took it for its recipients. */
export interface BegunMail {
  id: string;
  submitted: boolean;
  /** By the server's clock, in milliseconds since 1970; 0 where it does not say. */
  madeAt: number;
}

export interface SendSteps {
  /** What is on the server of the message of a stamp. */
  begun(stamp: MessageStamp): Promise<BegunMail | null>;
  /** Throws where what was submitted reached not everybody, and still does not. */
  check(id: string): Promise<void>;
  compose(draft: Draft, stamp: MessageStamp): Promise<MailMessage>;
  upload(draft: Draft): Promise<UploadedFile[]>;
  /** Sends what is on the server already. */
  resend(message: MailMessage, id: string, stamp: MessageStamp): Promise<void>;
  /** @returns its id. */
  deliver(message: MailMessage, files: readonly UploadedFile[], stamp: MessageStamp): Promise<string>;
}

/**
 * Sends the message of a stamp, unless an earlier or a faster call did. What breaks a rule uses up no stamp.
 * @param underWay what other calls are sending now.
 */
export async function sendOnce(
  stamps: MessageStamps,
  mail: OutgoingMail,
  { begun, check, compose, upload, resend, deliver }: SendSteps,
  underWay: OncePerKey<SentId>,
): Promise<SentId> {
  const first = await stamps.chosen();
  const known = async (stamp: MessageStamp): Promise<BegunMail | null> => {
    const found = stamp.again ? await begun(stamp) : null;
    if (found?.submitted) await check(found.id);
    return found;
  };
  const earlier = await known(first);
  if (earlier?.submitted) return { id: earlier.id, replayed: true };
  const draft = await outgoingDraft(mail, first);
  await compose(draft, first);
  const files = await upload(draft);
  const stamp = first.again ? first : await stamps.keep(first);
  const work = async (): Promise<SentId> => {
    const left = await known(stamp);
    if (left?.submitted) return { id: left.id, replayed: true };
    const message = await compose(draft, stamp);
    if (left === null) return { id: await deliver(message, files, stamp), replayed: false };
    await resend(message, left.id, stamp);
    return { id: left.id, replayed: false };
  };
  const sent = await underWay.run(stamp.messageId, '', work);
  if (sent === null) throw new Error('one digest stands for everything');
  return sent.shared ? { ...sent.answer, replayed: true } : sent.answer;
}
