import { readFile } from 'node:fs/promises';
import { JetStreamApiError, type PubAck } from '@nats-io/jetstream';
import { nuid } from '@nats-io/transport-node';
import { archiveCarried } from '../../mail/filesystem/carried/carried-mailboxes.js';
import { deliverArrived } from '../../mail/filesystem/carried/incoming.js';
import { giveNotice } from '../../mail/filesystem/carried/outgoing.js';
import { hasMessage, messageIn } from '../../mail/filesystem/mailbox/mail-root.js';
import { addressOn, hostAddress, localsOn, type RefusedMailbox } from '../../mail/message/across-hosts.js';
import { lastingFaults, MailFault } from '../../mail/message/mail-fault.js';
import type { MailMessage } from '../../mail/message/mail-message.js';
import { mailOf, mailSender, mailSubject, streams } from '../engine/layout.js';
import type { FleetSession } from '../engine/link.js';
import { engineFaultWords, isEngineFault } from '../engine/link-fault.js';
import { readObject } from '../engine/stores.js';
import { putInQueue, takeEach } from '../engine/work-queue.js';
import {
  isDue,
  type Letter,
  letterText,
  type MailLetter,
  type Publication,
  type Receipt,
  readLetter,
} from './letter.js';
import { type FollowedRoot, type MailFolders, MailRoots, type MailRootsParts } from './mail-roots.js';

/** The largest document that goes in a message itself: NATS takes a megabyte where nothing else is set. */
const mostInline = 512 * 1024;
/** The pause before mail that cannot be carried now is tried again, in milliseconds. Mail that cannot be taken comes again after up to six. */
const laterMilliseconds = 10_000;
/** The most messages that may wait for mailboxes of this host: with more, no other one would come. */
const mostWaiting = 10_000;

/**
 * Whether a fault concerns one message and may pass: of a mailbox, a file, or an engine that did not store it. A lost connection
 * concerns all of them.
 */
const mayPass = (error: unknown): boolean => error instanceof JetStreamApiError || !isEngineFault(error);

/** Reads a file; null where it is gone. Other faults may pass. */
async function unlessGone(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/**
 * Carries mail between this host and the others, while it is in the fleet. A message waits in its root until the host that it is for
 * has confirmed it, so nothing is lost with NATS; and a mailbox takes each message id once, so nothing comes twice.
 */
export class MailCarrier {
  readonly #parts: MailRootsParts & { readonly roots: MailRoots };

  /** The messages that could not be carried, why, and when each is tried again, by our monotonic clock. */
  readonly #later = new Map<string, { words: string; after: number }>();

  constructor(parts: MailRootsParts) {
    this.#parts = { ...parts, roots: new MailRoots(parts) };
  }

  /** How many messages wait for other hosts. */
  get waiting(): number {
    return this.#parts.roots.waiting;
  }

  /** Follows the mail of this host until it is stopped, whether or not this host is in the fleet. @see MailRoots.run */
  follow(folders: MailFolders, stopping: AbortSignal): Promise<void> {
    return this.#parts.roots.run(folders, stopping);
  }

  /** Works until the session ends. */
  async run(session: FleetSession): Promise<void> {
    await Promise.all([this.#send(session), this.#receive(session)]);
  }

  async #send(session: FleetSession): Promise<void> {
    const { roots, table, clock } = this.#parts;
    const { ended } = session;
    const { created: streamMadeAt } = await session.manager.streams.info(streams.mail);
    while (!ended.aborted) {
      for (const one of await roots.all())
        for (const { messageId, host } of one.waiting) {
          const now = { at: clock.now().getTime(), streamMadeAt };
          if (!isDue(table.publication(messageId, host), now)) continue;
          await this.#orLater(messageId, host, () => this.#publish(session, one, { messageId, host, now }));
        }
      await roots.news(ended);
    }
  }

  /** Carries a message. One that cannot be carried now ends no session: the others go on, and it is tried again after a pause. */
  async #orLater(messageId: string, host: string, work: () => Promise<void>): Promise<void> {
    const { clock, report } = this.#parts;
    const key = `${messageId} ${host}`;
    const before = this.#later.get(key);
    if (before !== undefined && clock.monotonic() < before.after) return;
    try {
      await work();
      this.#later.delete(key);
    } catch (error) {
      if (!mayPass(error)) throw error;
      const words = engineFaultWords(error as Error);
      if (before?.words !== words)
        report(`message ${messageId} for host ${host} is not carried now: ${words}`);
      this.#later.set(key, { words, after: clock.monotonic() + laterMilliseconds });
    }
  }

  async #publish(
    { streams: jetstream, files }: FleetSession,
    one: FollowedRoot,
    { messageId, host, now }: { messageId: string; host: string; now: Publication },
  ): Promise<void> {
    const { host: here, journal, table, roots } = this.#parts;
    const { message, document } = await messageIn(one.root, messageId);
    // A copy for a third host, which the sender's host carries there.
    if (hostAddress(message.from.address) !== null) {
      await archiveCarried(one.root, messageId, null);
      return roots.look(one);
    }
    const put = async (name: string, content: Uint8Array): Promise<string> =>
      (await files.putBlob({ name: `${here}/${messageId}/${host}/${name}/${nuid.next()}` }, content)).name;
    const names: string[] = [];
    for (const [index, { path }] of message.attachments.entries()) {
      const content = await unlessGone(path);
      if (content === null)
        return this.#refuseAll(one, message, { host, detail: `its file ${path} is not there any more` });
      names.push(await put(`file-${index}`, content));
    }
    const isSmall = Buffer.byteLength(document) <= mostInline;
    const letter: MailLetter = {
      kind: 'mail',
      message_id: messageId,
      document: isSmall ? document : null,
      document_object: isSmall ? null : await put('document', Buffer.from(document)),
      files: names,
    };
    await this.#put(jetstream, host, letter);
    await journal.write(() => table.published(messageId, host, now));
  }

  #refuseAll(
    one: FollowedRoot,
    message: MailMessage,
    { host, detail }: { host: string; detail: string },
  ): Promise<void> {
    const refused = localsOn(message, host).map((local) => ({
      address: addressOn({ local, host }),
      detail,
    }));
    return this.#end(one, message, { host, refused });
  }

  /** Ends the wait of a message for a host: its sender learns what was refused, and its copies here are archived. */
  async #end(
    one: FollowedRoot,
    message: MailMessage,
    { host, refused }: { host: string; refused: readonly RefusedMailbox[] },
  ): Promise<void> {
    const { host: here, journal, table, roots, report } = this.#parts;
    const { messageId } = message;
    if (refused.length > 0)
      await giveNotice(one.root, message, { here, host, refused }).catch((error: unknown) => {
        if (!(error instanceof MailFault) || !lastingFaults.has(error.code)) throw error;
        report(`${messageId} was refused by ${host}, and its sender cannot be notified: ${error.message}`);
      });
    await archiveCarried(one.root, messageId, host);
    await journal.write(() => table.forget(messageId, host));
    await roots.look(one);
  }

  #receive(session: FleetSession): Promise<void> {
    const { host, report } = this.#parts;
    return takeEach<Letter>(session, {
      stream: streams.mail,
      host,
      filter: mailOf(host),
      thing: 'letter',
      pending: mostWaiting,
      read: readLetter,
      report,
      take: async (letter, message) => {
        try {
          if (letter.kind === 'mail') await this.#takeMail(session, letter, mailSender(message.subject));
          else await this.#takeReceipt(letter, mailSender(message.subject));
        } catch (error) {
          if (!mayPass(error)) throw error;
          if (message.info.deliveryCount === 1)
            report(`mail ${letter.message_id} waits, and comes again: ${engineFaultWords(error as Error)}`);
          message.nak(laterMilliseconds * Math.min(message.info.deliveryCount, 6));
          return;
        }
        await message.ackAck();
      },
    });
  }

  async #takeMail(session: FleetSession, letter: MailLetter, from: string): Promise<void> {
    const { host: here, roots } = this.#parts;
    const { document: inline, document_object } = letter;
    const stored = document_object === null ? null : await readObject(session, document_object);
    const document = inline ?? (stored && new TextDecoder().decode(stored));
    const files = await Promise.all(letter.files.map((name) => readObject(session, name)));
    const whole = files.flatMap((file) => file ?? []);
    const isLost = document === null || whole.length < files.length;
    const refused = isLost
      ? []
      : await deliverArrived(
          (await roots.all()).map(({ root }) => root),
          { from, here, document, files: whole },
        );
    const receipt: Receipt = {
      kind: 'receipt',
      message_id: letter.message_id,
      outcome: isLost ? 'lost' : 'taken',
      refused,
    };
    await this.#put(session.streams, from, receipt);
    // Those that cannot be removed now go by themselves, later.
    for (const name of [...letter.files, ...(document_object === null ? [] : [document_object])])
      await session.files.delete(name).catch(() => undefined);
  }

  #put(jetstream: FleetSession['streams'], host: string, letter: Letter): Promise<PubAck> {
    const subject = mailSubject(host, this.#parts.host);
    return putInQueue(jetstream, { stream: streams.mail, subject, text: letterText(letter) });
  }

  async #takeReceipt({ message_id: messageId, outcome, refused }: Receipt, host: string): Promise<void> {
    const { roots, journal, table } = this.#parts;
    if (outcome === 'lost') {
      await journal.write(() => table.forget(messageId, host));
      return roots.wake();
    }
    for (const one of await roots.all())
      if (await hasMessage(one.root, messageId)) {
        const { message } = await messageIn(one.root, messageId);
        await this.#end(one, message, { host, refused });
      }
  }
}
