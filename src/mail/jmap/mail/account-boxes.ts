import { Type } from '@sinclair/typebox';
import type { JmapClient } from '../client/jmap-client.js';
import type { MethodAnswers, MethodCall } from '../client/method-calls.js';

const SetSchema = Type.Object({
  created: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Object({ id: Type.String() })), Type.Null()]),
  ),
  notCreated: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
});

const getCallId = 'boxes';

/**
 * The boxes of the account as the last answer had them. A request that works with a box asks for all of them, too, so that the
 * next call sees the changes of other clients.
 */
export class AccountBoxes {
  readonly #client: JmapClient;
  #table: MailboxTable | null = null;

  constructor(client: JmapClient) {
    this.#client = client;
  }

  /** Added to a request whose answer is then given to {@link note}. */
  readonly getCall: MethodCall = [
    'Mailbox/get',
    { ids: null, properties: ['id', 'name', 'parentId', 'role'] },
    getCallId,
  ];

  note(answers: MethodAnswers): MailboxTable {
    this.#table = new MailboxTable(answers.of(this.getCall, MailboxesSchema).list);
    return this.#table;
  }

  async current(): Promise<MailboxTable> {
    return this.#table ?? this.renewed();
  }

  async renewed(): Promise<MailboxTable> {
    return this.note(await this.#client.call('look', [this.getCall]));
  }

  /** Returns the id of a box, also of one that another client has just made; null for one that does not exist. */
  async find(box: string): Promise<string | null> {
    const known = (await this.current()).idOf(box);
    return known ?? (await this.renewed()).idOf(box);
  }

  /** Does the same, and makes a missing box. */
  async need(box: string): Promise<string> {
    const known = await this.find(box);
    if (known !== null) return known;
    const table = await this.current();
    const create: MethodCall = ['Mailbox/set', { create: { box: table.creationOf(box) } }, 'make'];
    const answers = await this.#client.call('change', [create, this.getCall]);
    const { created, notCreated } = answers.of(create, SetSchema);
    // Another client may have made it at the same moment.
    const id = created?.box?.id ?? this.note(answers).idOf(box);
    if (id === null) throw answers.refused(`to make the box ${box}`, notCreated?.box);
    this.#table = null;
    return id;
  }
}

const MailboxSchema = Type.Object({
  id: Type.String({ minLength: 1 }),
  name: Type.String(),
  parentId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  role: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
const MailboxesSchema = Type.Object({ list: Type.Array(MailboxSchema) });

/** A mailbox in JMAP's sense, which is called a box here. */
export interface Mailbox {
  id: string;
  name: string;
  parentId?: string | null;
  /** Its purpose, whatever its name is. */
  role?: string | null;
}

/** The order in which the box of a message is chosen when it is in several; other boxes come after these. */
const first = ['inbox', 'sent', 'archive'];
/** Boxes that every agent has. Servers give them other names, and some lack one. */
const standard = ['inbox', 'sent', 'archive', 'drafts'];

/** The boxes of an account: one with a role is named by it, another by its path. */
export class MailboxTable {
  readonly #byId: ReadonlyMap<string, Mailbox>;
  readonly #names = new Map<string, string>();
  readonly #ids = new Map<string, string>();

  constructor(mailboxes: readonly Mailbox[]) {
    this.#byId = new Map(mailboxes.map((mailbox) => [mailbox.id, mailbox]));
    // Roles first, so that no other box takes their names.
    const ordered = [...mailboxes].sort((a, b) => Number(!a.role) - Number(!b.role));
    for (const mailbox of ordered) this.#name(mailbox);
  }

  /** @returns null for a box that does not exist. */
  idOf(box: string): string | null {
    return this.#ids.get(box) ?? null;
  }

  /** Returns all boxes that a message is in. */
  boxesOf(mailboxIds: readonly string[]): string[] {
    return mailboxIds.flatMap((id) => this.#names.get(id) ?? []);
  }

  /** Returns the box that counts, of those that a message is in; null where none is known. */
  boxOf(mailboxIds: readonly string[]): string | null {
    const names = this.boxesOf(mailboxIds);
    const known = first.find((name) => names.includes(name));
    return known ?? names.find((name) => this.#isRole(name)) ?? names[0] ?? null;
  }

  /** Returns the properties with which a missing box is made. */
  creationOf(box: string): Record<string, unknown> {
    if (!standard.includes(box)) return { name: box, parentId: null };
    return { name: `${box[0]?.toUpperCase()}${box.slice(1)}`, parentId: null, role: box };
  }

  #name(mailbox: Mailbox): void {
    const path = this.#pathOf(mailbox);
    const name = mailbox.role ?? (standard.includes(path.toLowerCase()) ? path.toLowerCase() : path);
    if (this.#ids.has(name)) return;
    this.#ids.set(name, mailbox.id);
    this.#names.set(mailbox.id, name);
  }

  #isRole(name: string): boolean {
    const id = this.#ids.get(name);
    return id !== undefined && this.#byId.get(id)?.role === name;
  }

  /** Returns its path, from the outermost box on. A server may name parents in a circle. */
  #pathOf(mailbox: Mailbox): string {
    const names: string[] = [];
    const seen = new Set<string>();
    let at: Mailbox | undefined = mailbox;
    while (at && !seen.has(at.id)) {
      seen.add(at.id);
      names.unshift(at.name);
      at = at.parentId ? this.#byId.get(at.parentId) : undefined;
    }
    return names.join('/');
  }
}
