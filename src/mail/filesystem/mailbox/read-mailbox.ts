import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Clock } from '../../../foundation/clock.js';
import { FolderWatch } from '../../../foundation/folders.js';
import { MailFault } from '../../message/mail-fault.js';
import type { MailMessage } from '../../message/mail-message.js';
import { type SharedDatabase, whenFree } from '../root/shared-database.js';
import type { RowExtent, StateFilter, StateRow } from '../tables/state-table.js';
import { type ActiveMailbox, activeMailbox, type MailboxName } from './active-mailbox.js';
import type { MailRoot } from './mail-root.js';

/** A message as one mailbox sees it. */
export interface MailItem {
  message: MailMessage;
  state: StateRow;
}

/** A message that cannot be shown; its file is left unchanged. */
export interface DamagedMail {
  messageId: string;
  /** Contains the path of the file. */
  reason: string;
}

export interface MailListing {
  items: MailItem[];
  damaged: DamagedMail[];
}

/** Reading a page takes some milliseconds; other work continues between two pages. */
const pageSize = 50;

/** How many messages, and from which end. */
export interface Extent {
  /** Null for all. */
  limit: number | null;
  oldestFirst: boolean;
}

/**
 * Yields the messages of a box, at most `limit`, page by page: no page is read before it is requested, and none is kept. A
 * damaged message is reported and left out: the older implementation fails the whole list.
 * @throws {MailFault}
 */
export async function* mailPages(
  root: MailRoot,
  name: MailboxName,
  filter: StateFilter,
  { limit, oldestFirst }: Extent,
): AsyncGenerator<MailListing, void, undefined> {
  let missing = limit ?? Number.POSITIVE_INFINITY;
  for (let after: StateRow | null = null; missing > 0; ) {
    const count = Math.min(pageSize, missing);
    const page: Page = await root.read(() => readPage(root, name, filter, { count, oldestFirst, after }));
    yield page;
    after = page.last;
    missing -= page.items.length;
    if (after === null) return;
    await yieldToOthers();
  }
}

interface Page extends MailListing {
  /** The last row of the page; null where there are no more. */
  last: StateRow | null;
}

/** Returns the states that the mailbox itself has; no message is read. */
export const listStates = (
  root: MailRoot,
  name: MailboxName,
  filter: StateFilter,
  { limit, oldestFirst }: Extent,
): Promise<StateRow[]> =>
  root.read(() => {
    const { states } = activeMailbox(root, name).database;
    return states.find(filter, { count: limit ?? -1, oldestFirst, after: null });
  });

/** Reads one state of both databases: outside a transaction every row would take and release their locks. */
const readPage = (root: MailRoot, name: MailboxName, filter: StateFilter, extent: RowExtent): Page =>
  root.index.database.readAtOnce(() => {
    const { database } = activeMailbox(root, name);
    return database.database.readAtOnce(() => {
      const rows = database.states.find(filter, extent);
      const last = rows.length < extent.count ? null : rows.at(-1)!;
      const page: Page = { items: [], damaged: [], last };
      for (const state of rows) readInto(root, state, page);
      return page;
    });
  });

function readInto(root: MailRoot, state: StateRow, { items, damaged }: MailListing): void {
  try {
    items.push({ state, message: messageOf(root, state.message_id) });
  } catch (error) {
    if (!(error instanceof MailFault)) throw error;
    damaged.push({ messageId: state.message_id, reason: error.message });
  }
}

/** Returns one message. @param box the box that it must be in; null for any. @throws {MailFault} */
export const findMail = (
  root: MailRoot,
  name: MailboxName,
  messageId: string,
  box: string | null = null,
): Promise<MailItem> =>
  root.read(() => {
    const mailbox = activeMailbox(root, name);
    return { state: stateIn(mailbox, messageId, box), message: messageOf(root, messageId) };
  });

function stateIn({ database, registration }: ActiveMailbox, id: string, box: string | null): StateRow {
  const state = database.states.get(id);
  if (!state)
    throw new MailFault('message_unknown', `${id} is not in the mailbox of ${registration.address}`);
  if (box !== null && state.box_name !== box)
    throw new MailFault('box_differs', `${id} is in box ${state.box_name}, not in ${box}`);
  return state;
}

/** Returns the content of a message's file. @throws {MailFault} */
function messageOf(root: MailRoot, messageId: string): MailMessage {
  const place = root.index.messages.place(messageId);
  if (!place) throw new MailFault('message_unknown', `${messageId} is not a message of this mailbox root`);
  const message = root.messages.read(root.paths, place.canonical_path);
  if (message.messageId !== messageId)
    throw new MailFault('message_damaged', `${place.canonical_path}: is not ${messageId}`);
  return message;
}

/** The longest delay of a notice when an event of the file system is missed. */
const pollMilliseconds = 1000;

/**
 * Detects changes of a mailbox: the file system says when to check, and the mailbox's own database says whether it has changed.
 */
export class MailboxWatch {
  readonly #database: SharedDatabase;
  readonly #clock: Clock;
  readonly #folder: FolderWatch;
  #version = '';

  constructor(mailboxPath: string, database: SharedDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#folder = new FolderWatch([mailboxPath], clock, pollMilliseconds);
  }

  /** The first call returns at once, because earlier changes are unknown. @returns whether the mailbox may have changed. */
  async change(enough: AbortSignal, longest: number): Promise<boolean> {
    const until = this.#clock.monotonic() + longest;
    for (;;) {
      if (await this.#isNew()) return true;
      if (enough.aborted || this.#clock.monotonic() >= until) return false;
      await this.#folder.change(enough);
    }
  }

  close(): void {
    this.#folder.close();
  }

  async #isNew(): Promise<boolean> {
    const version = await whenFree(this.#clock, this.#database.path, () => this.#database.version());
    const isNew = version !== this.#version;
    this.#version = version;
    return isNew;
  }
}
