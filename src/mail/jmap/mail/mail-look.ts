import { MailFault } from '../../message/mail-fault.js';
import type { MailHeading, MailPage, MailQuery, MailView } from '../../transport/mail-transport.js';
import type { AccountBoxes } from '../boxes/account-boxes.js';
import type { JmapClient } from '../client/jmap-client.js';
import { type MethodCall, resultOf } from '../client/method-calls.js';
import type { MailRefs } from './email-ref.js';
import { type Email, EmailsSchema, emailProperties, headingProperties } from './email-schema.js';
import { checkedEmail, emailView, headingOf } from './email-view.js';
import { answered, seen } from './keywords.js';
import { QuerySchema } from './submission.js';

/** A page of messages with their text is held in memory at once. */
const pageSize = 50;
/** Of each text of a page so much comes with it; one that is longer is asked for alone. Bytes. */
const longestBody = 1024 * 1024;
const previewBody = 4096;

/** Looks for messages of one account. Nothing is changed. */
export class MailLook {
  readonly #client: JmapClient;
  readonly #boxes: AccountBoxes;
  readonly #refs: MailRefs;

  constructor(client: JmapClient, boxes: AccountBoxes, refs: MailRefs) {
    this.#client = client;
    this.#boxes = boxes;
    this.#refs = refs;
  }

  /** Messages whose pages follow each other; a page is asked for when it is wanted. */
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

  /** @param box that it must be in, among others maybe. @throws {MailFault} `message_unknown`, `message_damaged`, `box_differs` */
  async one(id: string, box: string | null = null): Promise<MailView> {
    const get: MethodCall = ['Email/get', { ids: [id], ...viewArgs(null) }, 'get'];
    const answers = await this.#client.call('look', [get, this.#boxes.look]);
    const boxes = this.#boxes.note(answers);
    const [value] = answers.of(get, EmailsSchema).list;
    if (!value) throw this.#refs.unknown(id);
    const email = checkedEmail(value, this.#refs);
    const view = emailView(email, boxes, this.#refs);
    if (box !== null && !boxes.boxesOf(Object.keys(email.mailboxIds ?? {})).includes(box))
      throw new MailFault('box_differs', `${view.ref} is in the box ${view.box}, not in ${box}`);
    return view;
  }

  /** In the order of `ids`. @throws {MailFault} */
  async several(ids: readonly string[]): Promise<MailView[]> {
    const views: MailView[] = [];
    const most = await this.#pageSize();
    for (let at = 0; at < ids.length; at += most) {
      const some = ids.slice(at, at + most);
      const get: MethodCall = ['Email/get', { ids: [...new Set(some)], ...viewArgs(longestBody) }, 'get'];
      const answers = await this.#client.call('look', [get, this.#boxes.look]);
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
    const sort = [{ property: 'receivedAt', isAscending: query.oldestFirst ?? false }];
    const first = query.since === null ? null : wholeSecond(query.since);
    for (let position = 0, given = 0; ; ) {
      const left = query.limit === null ? most : Math.min(query.limit - given, most);
      if (left <= 0) return;
      const find: MethodCall = [
        'Email/query',
        { filter: filterOf(query, box), sort, position, limit: left },
        'find',
      ];
      const get: MethodCall = [
        'Email/get',
        { '#ids': resultOf('find', 'Email/query', '/ids'), ...args },
        'get',
      ];
      const answers = await this.#client.call('look', [find, get, this.#boxes.look]);
      const { ids, limit } = answers.of(find, QuerySchema);
      const order = new Map(ids.map((id, index) => [id, index]));
      const { list } = answers.of(get, EmailsSchema);
      this.#boxes.note(answers);
      const wanted = first === null ? list : list.filter((value) => !isBefore(value, first));
      yield {
        list: wanted.sort((a, b) => (order.get(a.id as string) ?? 0) - (order.get(b.id as string) ?? 0)),
      };
      position += ids.length;
      given += wanted.length;
      if (ids.length < Math.min(left, limit ?? left)) return;
    }
  }
}

/** Null for one of which the server says not even that much. */
function headingIn(value: unknown, refs: MailRefs): MailHeading | null {
  try {
    return headingOf(checkedEmail(value, refs), refs);
  } catch (error) {
    if (error instanceof MailFault) return null;
    throw error;
  }
}

/** @param body of which so many bytes come; null for all. */
const viewArgs = (body: number | null): Record<string, unknown> => ({
  properties: emailProperties,
  fetchTextBodyValues: true,
  ...(body !== null && { maxBodyValueBytes: body }),
});

const isTruncated = ({ bodyValues }: Email): boolean =>
  Object.values(bodyValues ?? {}).some((value) => value.isTruncated === true);

/** Pure: only conditions that every server has an index for. */
function filterOf({ read, answered: isAnswered, since }: MailQuery, box: string): Record<string, unknown> {
  const keyword = (name: string, wanted: boolean | null): object[] =>
    wanted === null ? [] : [wanted ? { hasKeyword: name } : { notKeyword: name }];
  const conditions = [
    // Servers are known that leave out the second itself: asked for is from the one before, and what is too old is left out here.
    { inMailbox: box, ...(since !== null && { after: toSeconds(wholeSecond(since) - 1000) }) },
    ...keyword(seen, read),
    ...keyword(answered, isAnswered),
  ];
  return conditions.length === 1
    ? (conditions[0] as object as Record<string, unknown>)
    : { operator: 'AND', conditions };
}

/** Servers know whole seconds: a bound between two of them is the later one. */
const wholeSecond = (since: number): number => Math.ceil(since / 1000) * 1000;

const toSeconds = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** What says not when it came is told of as damaged, and so is not left out. */
const isBefore = ({ receivedAt }: Record<string, unknown>, first: number): boolean =>
  typeof receivedAt === 'string' && Date.parse(receivedAt) < first;
