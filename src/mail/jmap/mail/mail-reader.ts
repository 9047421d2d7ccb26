import type { ParentMessage } from '../../message/compose.js';
import { MailFault } from '../../message/mail-fault.js';
import { type Principal, plainPrincipal } from '../../message/mail-message.js';
import { checkMayReply } from '../../message/operator-message.js';
import type { MailHeading, MailPage, MailQuery, MailView } from '../../transport/mail-transport.js';
import type { JmapClient } from '../client/jmap-client.js';
import { type MethodCall, resultOf } from '../client/method-calls.js';
import { ServerFault } from '../client/server-fault.js';
import type { AccountBoxes } from './account-boxes.js';
import { isWorldAddress, usableNames } from './email-headers.js';
import type { MailRefs } from './email-ref.js';
import {
  answered,
  type Email,
  EmailsSchema,
  emailProperties,
  hasKeyword,
  headingProperties,
  operatorNote,
  seen,
} from './email-schema.js';
import { checkedEmail, emailView, headingOf } from './email-view.js';
import { QuerySchema } from './submission.js';

/** The most messages with their text that are in memory at once. */
const pageSize = 50;
/** In bytes: this much of each text comes with a page; a longer text is requested separately. */
const longestBody = 1024 * 1024;
const previewBody = 4096;

/** The messages of a box, and the properties to read of each. */
interface Wanted {
  query: MailQuery;
  box: string;
  args: Record<string, unknown>;
}

interface Page {
  list: Record<string, unknown>[];
  /** Whether no page follows. */
  isLast: boolean;
}

/** Finds messages of one account. It changes nothing. */
export class MailReader {
  readonly #client: JmapClient;
  readonly #boxes: AccountBoxes;
  readonly #refs: MailRefs;
  /** Whether the server accepts a position from the end (RFC 8620, section 5.5); not every server does. */
  #countsFromEnd = true;

  constructor(client: JmapClient, boxes: AccountBoxes, refs: MailRefs) {
    this.#client = client;
    this.#boxes = boxes;
    this.#refs = refs;
  }

  /** Yields messages page by page; a page is requested when the caller wants it. */
  async *pages(query: MailQuery): AsyncGenerator<MailPage, void, undefined> {
    const args = viewArgs(query.bodies ? longestBody : previewBody);
    for await (const { list } of this.#emails(query, args, await this.#pageSize())) {
      const boxes = await this.#boxes.current();
      const page: MailPage = { messages: [], damaged: [] };
      for (const value of list) {
        try {
          const email = checkedEmail(value, this.#refs);
          const isCut = query.bodies === true && isTruncated(email);
          const view = isCut ? await this.one(email.id) : emailView(email, boxes, this.#refs);
          page.messages.push(query.bodies ? view : { ...view, body: null });
        } catch (error) {
          if (!(error instanceof MailFault)) throw error;
          page.damaged.push({ ref: this.#refs.message(String(value.id)), detail: error.message });
        }
      }
      yield page;
    }
  }

  async headings(query: MailQuery): Promise<MailHeading[]> {
    const { limits } = await this.#client.document();
    const found: MailHeading[] = [];
    const args = { properties: headingProperties };
    for await (const { list } of this.#emails(query, args, limits.objectsInGet))
      for (const value of list) {
        const heading = headingIn(value, this.#refs);
        if (heading !== null) found.push(heading);
      }
    return found;
  }

  /**
   * @param box that it must be in, possibly among others.
   * @throws {MailFault} `message_unknown`, `message_damaged`, `box_differs`
   */
  async one(id: string, box: string | null = null): Promise<MailView> {
    const get: MethodCall = ['Email/get', { ids: [id], ...viewArgs(null) }, 'get'];
    const answers = await this.#client.call('look', [get, this.#boxes.getCall]);
    const boxes = this.#boxes.note(answers);
    const [value] = answers.of(get, EmailsSchema).list;
    if (!value) throw this.#refs.unknown(id);
    const email = checkedEmail(value, this.#refs);
    const view = emailView(email, boxes, this.#refs);
    if (box !== null && !boxes.boxesOf(Object.keys(email.mailboxIds ?? {})).includes(box))
      throw new MailFault('box_differs', `${view.ref} is in the box ${view.box}, not in ${box}`);
    return view;
  }

  /** Returns messages in the order of `ids`. @throws {MailFault} */
  async several(ids: readonly string[]): Promise<MailView[]> {
    const views: MailView[] = [];
    const most = await this.#pageSize();
    for (let at = 0; at < ids.length; at += most) {
      const some = ids.slice(at, at + most);
      const get: MethodCall = ['Email/get', { ids: [...new Set(some)], ...viewArgs(longestBody) }, 'get'];
      const answers = await this.#client.call('look', [get, this.#boxes.getCall]);
      const boxes = this.#boxes.note(answers);
      const byId = new Map(answers.of(get, EmailsSchema).list.map((value) => [value.id, value]));
      for (const id of some) {
        const value = byId.get(id);
        if (!value) throw this.#refs.unknown(id);
        const email = checkedEmail(value, this.#refs);
        views.push(isTruncated(email) ? await this.one(email.id) : emailView(email, boxes, this.#refs));
      }
    }
    return views;
  }

  async #pageSize(): Promise<number> {
    return Math.min(pageSize, (await this.#client.document()).limits.objectsInGet);
  }

  async *#emails(
    query: MailQuery,
    args: Record<string, unknown>,
    most: number,
  ): AsyncGenerator<{ list: Record<string, unknown>[] }, void, undefined> {
    if (query.archived !== null && query.archived !== (query.box === 'archive')) return;
    const box = await this.#boxes.find(query.box);
    if (box === null) return;
    const first = query.since === null ? null : wholeSecond(query.since);
    const seen = new Set<unknown>();
    for (let given = 0; ; ) {
      const left = query.limit === null ? most : Math.min(query.limit - given, most);
      if (left <= 0) return;
      const page = await this.#page({ query, box, args }, seen.size, left);
      const fresh = page.list.filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.add(id);
      const wanted = first === null ? fresh : fresh.filter((value) => !isBefore(value, first));
      yield { list: wanted };
      given += wanted.length;
      if (page.isLast || fresh.length === 0) return;
    }
  }

  /** Returns at most `most` messages after the first `passed` ones, in the order of the query. */
  async #page(wanted: Wanted, passed: number, most: number): Promise<Page> {
    if (wanted.query.oldestFirst || !this.#countsFromEnd) return this.#readPage(wanted, passed, most);
    try {
      return await this.#readPage(wanted, -passed - most, most);
    } catch (error) {
      // The server only counts from the beginning; or it refuses something else, and will do so again.
      if (!(error instanceof ServerFault) || error.type === null) throw error;
      const page = await this.#readPage(wanted, passed, most);
      this.#countsFromEnd = false;
      return page;
    }
  }

  /**
   * @param position of the first message in the order of the query; a negative one counts from the end of the reverse order, and
   * the page is reversed: servers keep messages of the same second in the order of their arrival, whichever way they sort.
   */
  async #readPage({ query, box, args }: Wanted, position: number, most: number): Promise<Page> {
    const isTurned = position < 0;
    const sort = [{ property: 'receivedAt', isAscending: isTurned || query.oldestFirst === true }];
    const filter = filterOf(query, box);
    const find: MethodCall = ['Email/query', { filter, sort, position, limit: most }, 'find'];
    const ids = resultOf('find', 'Email/query', '/ids');
    const get: MethodCall = ['Email/get', { '#ids': ids, ...args }, 'get'];
    const answers = await this.#client.call('look', [find, get, this.#boxes.getCall]);
    const found = answers.of(find, QuerySchema);
    const { list } = answers.of(get, EmailsSchema);
    this.#boxes.note(answers);
    const limit = found.limit ?? most;
    // A window that the server cuts off has its oldest messages, and not its newest.
    if (isTurned && limit < most) return this.#readPage({ query, box, args }, position + most - limit, limit);
    const places = new Map(found.ids.map((id, index) => [id, isTurned ? -index : index]));
    const placeOf = ({ id }: Record<string, unknown>): number => places.get(id as string) ?? 0;
    const isLast = found.ids.length < Math.min(most, limit) || (isTurned && found.position === 0);
    return { list: list.sort((a, b) => placeOf(a) - placeOf(b)), isLast };
  }
}

/** Returns null for a message of which the server does not even give the data of a heading. */
function headingIn(value: unknown, refs: MailRefs): MailHeading | null {
  try {
    return headingOf(checkedEmail(value, refs), refs);
  } catch (error) {
    if (error instanceof MailFault) return null;
    throw error;
  }
}

/** @param body how many bytes of each text to request; null for all. */
const viewArgs = (body: number | null): Record<string, unknown> => ({
  properties: emailProperties,
  fetchTextBodyValues: true,
  ...(body !== null && { maxBodyValueBytes: body }),
});

const isTruncated = ({ bodyValues }: Email): boolean =>
  Object.values(bodyValues ?? {}).some((value) => value.isTruncated === true);

/** Pure: makes a filter only of conditions for which every server has an index. */
function filterOf({ read, answered: isAnswered, since }: MailQuery, box: string): Record<string, unknown> {
  const keyword = (name: string, wanted: boolean | null): object[] =>
    wanted === null ? [] : [wanted ? { hasKeyword: name } : { notKeyword: name }];
  const conditions = [
    // Some servers leave out the second itself: the filter begins one second earlier, and messages that
    // are too old are left out here.
    { inMailbox: box, ...(since !== null && { after: toSeconds(wholeSecond(since) - 1000) }) },
    ...keyword(seen, read),
    ...keyword(answered, isAnswered),
  ];
  return conditions.length === 1
    ? (conditions[0] as object as Record<string, unknown>)
    : { operator: 'AND', conditions };
}

/** Servers keep whole seconds: a bound between two of them becomes the later one. */
const wholeSecond = (since: number): number => Math.ceil(since / 1000) * 1000;

const toSeconds = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** A message without a time of arrival is reported as damaged, and so is not left out here. */
const isBefore = ({ receivedAt }: Record<string, unknown>, first: number): boolean =>
  typeof receivedAt === 'string' && Date.parse(receivedAt) < first;

/**
 * Returns the parts of a message that a reply depends on.
 * @throws {MailFault} `no_replies` where none is wanted, or none can be sent.
 */
export async function parentMessage(client: JmapClient, refs: MailRefs, id: string): Promise<ParentMessage> {
  const get: MethodCall = ['Email/get', { ids: [id], properties: emailProperties }, 'get'];
  const [value] = (await client.call('look', [get])).of(get, EmailsSchema).list;
  if (!value) throw refs.unknown(id);
  const email = checkedEmail(value, refs);
  if (hasKeyword(email.keywords, operatorNote)) {
    const policy = email['header:X-Houmao-Reply-Policy:asText'] ?? 'none';
    checkMayReply({ headers: { 'x-houmao-origin': 'operator', 'x-houmao-reply-policy': policy } });
  }
  const replyTo = people(email.replyTo);
  const from = people(email.from?.slice(0, 1))[0] ?? replyTo[0];
  if (from === undefined) throw new MailFault('no_replies', 'the message does not say who sent it');
  return {
    messageId: usableNames(email.messageId).at(-1) ?? '',
    threadId: email.threadId ?? '',
    references: usableNames(email.references),
    from,
    replyTo,
    subject: email.subject ?? '',
  };
}

const people = (addresses: Email['from']): Principal[] =>
  (addresses ?? []).flatMap(({ email: address }) =>
    address && isWorldAddress(address) ? [plainPrincipal(address, address)] : [],
  );
