import { composeReply, composeRoot } from '../message/compose.js';
import { MailFault } from '../message/mail-fault.js';
import {
  type Attachment,
  type MailMessage,
  type Principal,
  plainPrincipal,
} from '../message/mail-message.js';
import { bodyPreview, strip } from '../message/mail-text.js';
import { parseMailRef, toMailRef, toMailStamp } from '../message/message-id.js';
import {
  checkMayReply,
  composeOperatorMessage,
  operator,
  type ReplyPolicy,
} from '../message/operator-message.js';
import { outgoingDraft } from '../transport/attach-file.js';
import {
  type AttachedFile,
  attachmentOf,
  checkedBox,
  checkMark,
  type Delivered,
  type MailAttachment,
  type MailHeading,
  type MailPage,
  type MailParticipant,
  type MailQuery,
  type MailTransport,
  type MailView,
  type MarkChanges,
  type MessageStamp,
  type MessageStamps,
  type OutgoingMail,
  onePage,
} from '../transport/mail-transport.js';
import { openCarried } from './carried/carried-mailboxes.js';
import { deliverOnce } from './deliver-once.js';
import {
  type ActiveMailbox,
  activeMailbox,
  type MailboxName,
  resolveRecipients,
} from './mailbox/active-mailbox.js';
import { moveMail, updateStates } from './mailbox/change-mail.js';
import type { MailRoot } from './mailbox/mail-root.js';
import {
  type Extent,
  findMail,
  listStates,
  MailboxWatch,
  type MailItem,
  mailPages,
} from './mailbox/read-mailbox.js';
import { bootstrap } from './registration/bootstrap.js';
import { entryPath } from './root/mail-paths.js';
import type { StateFilter } from './tables/state-table.js';

/** A mailbox in a folder that agents share. Closing it closes the root, too. */
export class FilesystemTransport implements MailTransport {
  readonly name = 'filesystem';
  readonly #root: MailRoot;
  readonly #owner: MailboxName & { principalId: string };
  #watch: MailboxWatch | null = null;

  /** @param owner of the mailbox, and its folder; null or left out for the folder in the root. */
  constructor(
    root: MailRoot,
    {
      address,
      principalId,
      mailboxPath,
    }: { address: string; principalId: string; mailboxPath?: string | null },
  ) {
    this.#root = root;
    this.#owner = { address, principalId, mailboxPath: mailboxPath ?? entryPath(root.paths, address) };
  }

  async check(): Promise<void> {
    await this.#mailbox();
  }

  list(query: MailQuery): Promise<MailPage> {
    return onePage(this.pages(query));
  }

  async *pages(query: MailQuery): AsyncGenerator<MailPage, void, undefined> {
    const pages = mailPages(this.#root, this.#owner, filterOf(query), extentOf(query));
    for await (const { items, damaged } of pages)
      yield {
        messages: items.map((item) => (query.bodies ? mailView(item) : { ...mailView(item), body: null })),
        damaged: damaged.map(({ messageId, reason }) => ({ ref: toMailRef(messageId), detail: reason })),
      };
  }

  async headings(query: MailQuery): Promise<MailHeading[]> {
    const rows = await listStates(this.#root, this.#owner, filterOf(query), extentOf(query));
    return rows.map((row) => ({
      ref: toMailRef(row.message_id),
      threadRef: toMailRef(row.thread_id),
      createdAtUtc: row.created_at_utc,
      subject: row.subject,
      key: row.message_id,
    }));
  }

  peek(ref: string, box: string | null): Promise<MailView> {
    return this.#view(idOf(ref), box === null ? null : strip(box));
  }

  async read(ref: string, box: string | null): Promise<MailView> {
    const view = await this.peek(ref, box);
    if (view.read) return view;
    const id = idOf(ref);
    await updateStates(this.#root, this.#owner, [id], { read: true });
    return this.#done(() => this.#view(id));
  }

  send(
    mail: OutgoingMail & { to: readonly string[]; cc: readonly string[]; subject: string },
    stamps: MessageStamps,
  ): Promise<Delivered> {
    return this.#once(stamps, async (stamp) => {
      const [to, cc] = [await this.#recipients(mail.to), await this.#recipients(mail.cc)];
      const draft = {
        ...(await outgoingDraft(mail, stamp)),
        from: this.#self,
        to,
        cc,
        replyTo: [],
        headers: {},
      };
      return composeRoot({ ...draft, subject: mail.subject }, new Date(stamp.at), stamp.messageId);
    });
  }

  post(
    mail: OutgoingMail & { subject: string; replyPolicy: ReplyPolicy },
    stamps: MessageStamps,
  ): Promise<Delivered> {
    return this.#once(stamps, async (stamp) => {
      const { subject, replyPolicy } = mail;
      const draft = { ...(await outgoingDraft(mail, stamp)), subject, replyPolicy };
      const message = composeOperatorMessage(draft, this.#self, new Date(stamp.at), stamp.messageId);
      await this.#needOperator();
      return message;
    });
  }

  async attachment(ref: string, attachmentId: string): Promise<AttachedFile> {
    const attachment = attachmentOf(await this.peek(ref, null), attachmentId);
    // The format has a path for each attachment.
    return { attachment, content: { path: attachment.locator! } };
  }

  async reply(parentRef: string, mail: OutgoingMail, stamps: MessageStamps): Promise<Delivered> {
    const parentId = idOf(parentRef);
    const delivered = await this.#once(stamps, async (stamp) => {
      // It must be in this mailbox: a reply to a message that the agent never received could not be noted as one.
      const { message: parent } = await findMail(this.#root, this.#owner, parentId);
      checkMayReply(parent);
      const draft = await outgoingDraft(mail, stamp);
      return composeReply(parent, this.#self, draft, new Date(stamp.at), stamp.messageId);
    });
    await this.#noteAnswered(parentId, delivered.message.ref);
    return delivered;
  }

  async mark(refs: readonly string[], changes: MarkChanges): Promise<MailView[]> {
    checkMark(changes);
    const { archived, ...flags } = changes;
    const ids = refs.map(idOf);
    if (archived === undefined) await updateStates(this.#root, this.#owner, unique(ids), flags);
    else await moveMail(this.#root, this.#owner, unique(ids), { box: archived ? 'archive' : 'inbox', flags });
    return this.#done(() => this.#views(ids));
  }

  async move(refs: readonly string[], box: string): Promise<MailView[]> {
    const ids = refs.map(idOf);
    await moveMail(this.#root, this.#owner, unique(ids), { box: checkedBox(box) });
    return this.#done(() => this.#views(ids));
  }

  async change(enough: AbortSignal, longest: number): Promise<boolean> {
    const { registration, database } = await this.#mailbox();
    this.#watch ??= new MailboxWatch(registration.mailbox_path, database.database, this.#root.clock);
    return this.#watch.change(enough, longest);
  }

  close(): void {
    this.#watch?.close();
    this.#root.close();
  }

  #mailbox(): Promise<ActiveMailbox> {
    return this.#root.read(() => activeMailbox(this.#root, this.#owner));
  }

  get #self(): Principal {
    return plainPrincipal(this.#owner.principalId, this.#owner.address);
  }

  #recipients(names: readonly string[]): Promise<Principal[]> {
    return resolveRecipients(this.#root, names);
  }

  async #once(
    stamps: MessageStamps,
    compose: (stamp: MessageStamp) => Promise<MailMessage>,
  ): Promise<Delivered> {
    const { messageId, replayed } = await deliverOnce(this.#root, stamps, async (stamp) => {
      await this.check();
      const message = await compose(stamp);
      await openCarried(this.#root, message);
      return message;
    });
    return { message: await this.#done(() => this.#view(messageId), toMailRef(messageId)), replayed };
  }

  /** Keeps finished work from being reported as refused when only showing its result fails. */
  async #done<T>(show: () => Promise<T>, deliveredRef: string | null = null): Promise<T> {
    try {
      return await show();
    } catch (error) {
      if (!(error instanceof MailFault)) throw error;
      const cause = { cause: error, deliveredRef };
      throw new MailFault('state_late', `it is done, but cannot be shown: ${error.message}`, cause);
    }
  }

  /** The reply is delivered by now: the fault says that it could not be noted, and does not look like a failed reply. */
  async #noteAnswered(parentId: string, deliveredRef: string): Promise<void> {
    try {
      await updateStates(this.#root, this.#owner, [parentId], { read: true, answered: true });
    } catch (error) {
      if (!(error instanceof MailFault)) throw error;
      throw new MailFault(
        'state_late',
        `the reply was delivered, but ${toMailRef(parentId)} is not marked answered: ${error.message}`,
        { cause: error, deliveredRef },
      );
    }
  }

  /** A root of the older implementation may lack the operator's mailbox. */
  async #needOperator(): Promise<void> {
    const { index } = this.#root;
    const known = await this.#root.read(() => index.registrations.active(operator.address) !== undefined);
    if (!known) await bootstrap(this.#root);
  }

  async #view(id: string, box: string | null = null): Promise<MailView> {
    return mailView(await findMail(this.#root, this.#owner, id, box));
  }

  async #views(ids: readonly string[]): Promise<MailView[]> {
    const views = [];
    for (const id of ids) views.push(await this.#view(id));
    return views;
  }
}

/** Stamps have whole seconds: a bound between two of them becomes the later one. */
const filterOf = ({ box, read, answered, archived, since }: MailQuery): StateFilter => ({
  box,
  read,
  answered,
  archived,
  since: since === null ? null : toMailStamp(new Date(Math.ceil(since / 1000) * 1000)),
});

const extentOf = ({ limit, oldestFirst = false }: MailQuery): Extent => ({ limit, oldestFirst });

const idOf = (ref: string): string => parseMailRef(ref, 'message_ref');

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/** Converts a message of this transport to the form that all transports use. */
function mailView({ message, state }: MailItem): MailView {
  return {
    ref: toMailRef(message.messageId),
    threadRef: toMailRef(message.threadId),
    createdAtUtc: message.createdAtUtc,
    subject: message.subject,
    read: state.is_read === 1,
    answered: state.is_answered === 1,
    archived: state.is_archived === 1,
    box: state.box_name,
    body: message.body,
    preview: bodyPreview(message.body),
    sender: participant(message.from),
    to: message.to.map(participant),
    cc: message.cc.map(participant),
    replyTo: message.replyTo.map(participant),
    attachments: message.attachments.map(attachment),
    notifyBlock: message.notifyBlock,
    notifyAuth: message.notifyAuth,
  };
}

const participant = ({ address, displayName, principalId }: Principal): MailParticipant => ({
  address,
  displayName,
  principalId,
});

const attachment = ({ path, ...rest }: Attachment): MailAttachment => ({ ...rest, locator: path });
