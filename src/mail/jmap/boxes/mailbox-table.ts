import { Type } from '@sinclair/typebox';

export const MailboxSchema = Type.Object({
  id: Type.String({ minLength: 1 }),
  name: Type.String(),
  parentId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  role: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
export const MailboxesSchema = Type.Object({ list: Type.Array(MailboxSchema) });

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
