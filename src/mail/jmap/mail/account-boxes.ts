import { Type } from '@sinclair/typebox';
import type { JmapClient } from '../client/jmap-client.js';
import type { MethodAnswers, MethodCall } from '../client/method-calls.js';

const SetSchema = Type.Object({
  created: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Object({ id: Type.String() })), Type.Null()]),
  ),
  notCreated: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
});

const lookId = 'boxes';

/**
 * The boxes of the account as the last answer had them. Who works with one asks for all of them in the same request, so that
 * the next call knows what somebody changed.
 */
export class AccountBoxes {
  readonly #client: JmapClient;
  #table: MailboxTable | null = null;

  constructor(client: JmapClient) {
    this.#client = client;
  }

  /** Goes with a request whose answer {@link note} is given. */
  readonly look: MethodCall = [
    'Mailbox/get',
    { ids: null, properties: ['id', 'name', 'parentId', 'role'] },
    lookId,
  ];

  note(answers: MethodAnswers): MailboxTable {
    this.#table = new MailboxTable(answers.of(this.look, MailboxesSchema).list);
    return this.#table;
  }

  async current(): Promise<MailboxTable> {
    return this.#table ?? this.renewed();
  }

  async renewed(): Promise<MailboxTable> {
    return this.note(await this.#client.call('look', [this.look]));
  }

  /** The id of a box, also of one that somebody made a moment ago; null for one that is not there. */
  async find(box: string): Promise<string | null> {
    const known = (await this.current()).idOf(box);
    return known ?? (await this.renewed()).idOf(box);
  }

  /** The same, made where it is not there. */
  async need(box: string): Promise<string> {
    const known = await this.find(box);
    if (known !== null) return known;
    const table = await this.current();
    const create: MethodCall = ['Mailbox/set', { create: { box: table.creationOf(box) } }, 'make'];
    const answers = await this.#client.call('change', [create, this.look]);
    const { created, notCreated } = answers.of(create, SetSchema);
    // Somebody else may have made it in the same moment.
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

/** A mailbox in the words of JMAP, which is a box here. */
export interface Mailbox {
  id: string;
  name: string;
  parentId?: string | null;
  /** What it is for, whatever its name is. */
  role?: string | null;
}

/** Where a message counts as being, when it is in several boxes; the others come after these. */
const first = ['inbox', 'sent', 'archive'];
/** Boxes that every agent has. Servers have other names for them, and some lack one. */
const standard = ['inbox', 'sent', 'archive', 'drafts'];

/** The boxes of an account: one with a role is named by it, another by its path. */
export class MailboxTable {
  readonly #byId: ReadonlyMap<string, Mailbox>;
  readonly #names = new Map<string, string>();
  readonly #ids = new Map<string, string>();

  constructor(mailboxes: readonly Mailbox[]) {
    this.#byId = new Map(mailboxes.map((mailbox) => [mailbox.id, mailbox]));
    // Roles first: no other box takes their names.
    const ordered = [...mailboxes].sort((a, b) => Number(!a.role) - Number(!b.role));
    for (const mailbox of ordered) this.#name(mailbox);
  }

  /** @returns null for a box that is not there. */
  idOf(box: string): string | null {
    return this.#ids.get(box) ?? null;
  }

  /** All boxes in which a message is. */
  boxesOf(mailboxIds: readonly string[]): string[] {
    return mailboxIds.flatMap((id) => this.#names.get(id) ?? []);
  }

  /** The box that counts, of those in which a message is; null for none that is known. */
  boxOf(mailboxIds: readonly string[]): string | null {
    const names = this.boxesOf(mailboxIds);
    const known = first.find((name) => names.includes(name));
    return known ?? names.find((name) => this.#isRole(name)) ?? names[0] ?? null;
  }

  /** What makes a box that is not there. */
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

  /** From the outermost to it. A server may name parents in a circle. */
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
