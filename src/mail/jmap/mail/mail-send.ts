import { readFile } from 'node:fs/promises';
import type { Clock } from '../../../foundation/clock.js';
import { OncePerKey } from '../../../foundation/concurrency.js';
import { composeReply, composeRoot, type MessageDraft, type ParentMessage } from '../../message/compose.js';
import { MailFault, MailRefusal } from '../../message/mail-fault.js';
import { type MailMessage, type Principal, plainPrincipal } from '../../message/mail-message.js';
import { isWellFormed, strip } from '../../message/mail-text.js';
import { noAddress } from '../../message/names.js';
import { composeOperatorMessage, type ReplyPolicy } from '../../message/operator-message.js';
import type { MessageStamp, MessageStamps, OutgoingMail } from '../../transport/mail-transport.js';
import type { JmapClient } from '../client/jmap-client.js';
import { ServerFault } from '../client/server-fault.js';
import { type UploadedFile, worldMessageId } from './email-draft.js';
import type { MailSubmitter } from './mail-submission.js';
import { type BegunMail, type SendSteps, type SentId, type SentMail, sendOnce } from './send-once.js';

export interface MailSendParts {
  client: JmapClient;
  submission: MailSubmitter;
  sent: SentMail;
  owner: { address: string; principalId: string };
  clock: Clock;
}

/** Milliseconds that a server may take to send a message, whether or not a caller still waits. */
const underWay = 120_000;

/** Sends the message of a stamp once, whatever is lost on the way. */
export class MailSend {
  readonly #parts: MailSendParts;
  readonly #self: Principal;
  readonly #underWay = new OncePerKey<SentId>();
  /** When the server was last asked to send a message, by the message's name: kept as long as the server may be working on it. */
  readonly #submittedAt = new Map<string, number>();

  constructor(parts: MailSendParts) {
    this.#parts = parts;
    this.#self = plainPrincipal(parts.owner.principalId, parts.owner.address);
  }

  send(
    mail: OutgoingMail & { to: readonly string[]; cc: readonly string[]; subject: string },
    stamps: MessageStamps,
  ): Promise<SentId> {
    return this.#submitOnce(stamps, mail, async (draft, stamp) => {
      const people = { to: mail.to.map(recipient), cc: mail.cc.map(recipient), replyTo: [] };
      const root = { ...draft, ...people, from: this.#self, headers: {}, subject: mail.subject };
      return composeRoot(root, new Date(stamp.at), stamp.messageId);
    });
  }

  /** @param parent called only where nothing was sent for the stamp before: when a call is repeated, the parent may be gone. */
  reply(parent: () => Promise<ParentMessage>, mail: OutgoingMail, stamps: MessageStamps): Promise<SentId> {
    return this.#submitOnce(stamps, mail, async (draft, stamp) =>
      composeReply(await parent(), this.#self, draft, new Date(stamp.at), stamp.messageId),
    );
  }

  /** @throws {MailRefusal} where replies are wanted: the operator has no address on a mail server. */
  async post(
    mail: OutgoingMail & { subject: string; replyPolicy: ReplyPolicy },
    stamps: MessageStamps,
  ): Promise<SentId> {
    const { submission, sent } = this.#parts;
    const { subject, replyPolicy } = mail;
    if (replyPolicy !== 'none')
      throw new MailRefusal(
        'reply_policy',
        'must be "none" where the mailbox is on a mail server: no answer could reach the operator there',
      );
    return this.#sendOnce(stamps, mail, {
      begun: (stamp) => sent.findNote(this.#nameOf(stamp), stamp.at),
      check: async () => undefined,
      compose: async (draft, stamp) =>
        composeOperatorMessage(
          { ...draft, subject, replyPolicy },
          this.#self,
          new Date(stamp.at),
          stamp.messageId,
        ),
      upload: (draft) => this.#upload(draft),
      // A note that exists is delivered.
      resend: async () => undefined,
      deliver: (message, files, stamp) => submission.post(message, files, this.#nameOf(stamp)),
    });
  }

  #submitOnce(stamps: MessageStamps, mail: OutgoingMail, compose: SendSteps['compose']): Promise<SentId> {
    const { submission } = this.#parts;
    return this.#sendOnce(stamps, mail, {
      begun: (stamp) => this.#begun(stamp),
      check: (id) => submission.complete(id, this.#parts.owner.address),
      compose,
      upload: (draft) => this.#upload(draft),
      resend: (message, id, stamp) => {
        this.#noteSubmission(this.#nameOf(stamp));
        return submission.resend(message, id);
      },
      deliver: (message, files, stamp) => this.#submit(message, files, stamp),
    });
  }

  #sendOnce(stamps: MessageStamps, mail: OutgoingMail, steps: SendSteps): Promise<SentId> {
    return sendOnce(stamps, mail, steps, this.#underWay);
  }

  /**
   * Returns what an earlier call began. A message that is not submitted may still be on its way.
   * @throws {MailFault} `outcome_unknown` for one that was begun a moment ago.
   */
  async #begun(stamp: MessageStamp): Promise<BegunMail | null> {
    const { sent, clock } = this.#parts;
    const name = this.#nameOf(stamp);
    const found = await sent.find(name, stamp.at);
    const now = clock.now().getTime();
    // If the server's clock is ahead, its time does not say when that was.
    const madeAt = found !== null && found.madeAt <= now ? found.madeAt : 0;
    const last = Math.max(stamp.at, this.#submittedAt.get(name) ?? 0, madeAt);
    if (found && !found.submitted && now - last < underWay)
      throw new MailFault(
        'outcome_unknown',
        'the mail server has the message and may be sending it; ask again in two minutes',
      );
    return found;
  }

  /** A lost answer does not mean that sending failed: whether the message was submitted is checked before a fault is reported. */
  async #submit(message: MailMessage, files: readonly UploadedFile[], stamp: MessageStamp): Promise<string> {
    const { submission, sent } = this.#parts;
    const name = this.#nameOf(stamp);
    this.#noteSubmission(name);
    try {
      return await submission.send(message, files, name);
    } catch (error) {
      if (!(error instanceof ServerFault) || !error.outcomeUnknown) throw error;
      const begun = await sent.find(name, stamp.at).catch(() => null);
      if (!begun?.submitted) throw error;
      await submission.check(begun.id);
      return begun.id;
    }
  }

  #noteSubmission(name: string): void {
    const now = this.#parts.clock.now().getTime();
    for (const [other, at] of this.#submittedAt) if (now - at >= underWay) this.#submittedAt.delete(other);
    this.#submittedAt.set(name, now);
  }

  async #upload({ attachments }: MessageDraft): Promise<UploadedFile[]> {
    const { client } = this.#parts;
    const { sizeUpload } = (await client.document()).limits;
    const files: UploadedFile[] = [];
    for (const [index, { path, mediaType, sizeBytes, label }] of attachments.entries()) {
      const refuse = (rule: string): MailFault =>
        new MailFault('attachment_unusable', `attachments[${index}].path: ${rule}`);
      if ((sizeBytes ?? 0) > sizeUpload)
        throw refuse(`has ${sizeBytes} bytes; the mail server takes ${sizeUpload} at most`);
      const content = new Blob([await readFile(path)]);
      if (content.size !== sizeBytes) throw refuse('was changed while it was read');
      const { blobId } = await client.upload(content, mediaType);
      files.push({ blobId, mediaType, size: content.size, name: label ?? 'attachment' });
    }
    return files;
  }

  #nameOf({ messageId }: MessageStamp): string {
    return worldMessageId(messageId, this.#parts.owner.address);
  }
}

/**
 * An address on mail servers in general: more forms than a mailbox root allows, and nothing that
 * would be another part of a header.
 */
const worldAddress = /^[^\s@<>(),;:"\\[\]]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/;

/** Makes a recipient from an address on a mail server; whose address it is, is unknown here. */
function recipient(text: string): Principal {
  const address = strip(text);
  if (!worldAddress.test(address) || !isWellFormed(address))
    throw new MailFault('recipient_unknown', noAddress(text));
  return plainPrincipal(address, address);
}
