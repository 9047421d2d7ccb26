import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { MailFault } from '../../message/mail-fault.js';
import type { MailMessage } from '../../message/mail-message.js';
import { whenFree } from '../root/when-free.js';
import type { StateFilter, StateRow } from '../tables/state-table.js';
import { type ActiveMailbox, activeMailbox } from './active-mailbox.js';
import type { MailRoot } from './mail-root.js';

/** A message as one mailbox sees it. */
export interface MailItem {
  message: MailMessage;
  state: StateRow;
}

/** A message that cannot be shown: its file is left as it is. */
export interface DamagedMail {
  messageId: string;
  /** With the path of the file. */
  reason: string;
}

export interface Listing {
  items: MailItem[];
  damaged: DamagedMail[];
}

/** Reading so many takes some milliseconds; between pages other work goes on. */
const pageSize = 50;

/** Null where it does not matter whose the mailbox is. */
export interface MailboxName {
  address: string;
  principalId: string | null;
}

/**
 * The newest messages of a box, as many as asked for. A damaged one is told of and left out: the older implementation fails
 * the whole list.
 * @param limit null for all.
 */
export const listMail = (
  root: MailRoot,
  name: MailboxName,
  filter: StateFilter,
  limit: number | null,
): Promise<Listing> =>
  root.work(async () => {
    const listing: Listing = { items: [], damaged: [] };
    for (let last: StateRow | null = null; ; ) {
      const wanted = Math.min(pageSize, (limit ?? Number.POSITIVE_INFINITY) - listing.items.length);
      if (wanted === 0) return listing;
      const after: StateRow | null = last;
      const rows: StateRow[] = await whenFree(root.clock, root.paths.root, () =>
        readPage(root, name, { filter, wanted, after }, listing),
      );
      last = rows.at(-1) ?? null;
      if (rows.length < wanted) return listing;
      await yieldToOthers();
    }
  });

/** What the mailbox itself knows of them; no message is read. */
export const listStates = (
  root: MailRoot,
  name: MailboxName,
  filter: StateFilter,
  limit: number | null,
): Promise<StateRow[]> =>
  root.work(() =>
    whenFree(root.clock, root.paths.root, () =>
      activeMailbox(root, name.address, name.principalId).database.states.find(filter, limit ?? -1),
    ),
  );

/** On one state of both databases: outside a transaction every row would take and drop their locks. */
const readPage = (
  root: MailRoot,
  name: MailboxName,
  { filter, wanted, after }: { filter: StateFilter; wanted: number; after: StateRow | null },
  listing: Listing,
): StateRow[] =>
  root.index.database.readAtOnce(() => {
    const { database } = activeMailbox(root, name.address, name.principalId);
    return database.database.readAtOnce(() => {
      const rows = database.states.find(filter, wanted, after);
      const page: Listing = { items: [], damaged: [] };
      for (const state of rows) readInto(root, state, page);
      // Only a page that was read to its end counts: a busy database is asked again from the beginning.
      listing.items.push(...page.items);
      listing.damaged.push(...page.damaged);
      return rows;
    });
  });

function readInto(root: MailRoot, state: StateRow, { items, damaged }: Listing): void {
  try {
    items.push({ state, message: messageOf(root, state.message_id) });
  } catch (error) {
    if (!(error instanceof MailFault)) throw error;
    damaged.push({ messageId: state.message_id, reason: error.message });
  }
}

/** One message. @param box which box it must be in; null for any. @throws {MailFault} */
export const findMail = (
  root: MailRoot,
  name: MailboxName,
  messageId: string,
  box: string | null = null,
): Promise<MailItem> =>
  root.work(() =>
    whenFree(root.clock, root.paths.root, () => {
      const mailbox = activeMailbox(root, name.address, name.principalId);
      return { state: stateIn(mailbox, messageId, box), message: messageOf(root, messageId) };
    }),
  );

function stateIn({ database, registration }: ActiveMailbox, id: string, box: string | null): StateRow {
  const state = database.states.get(id);
  if (!state)
    throw new MailFault('message_unknown', `${id} is not in the mailbox of ${registration.address}`);
  if (box !== null && state.box_name !== box)
    throw new MailFault('box_differs', `${id} is in box ${state.box_name}, not in ${box}`);
  return state;
}

/** What stands in a message's file. @throws {MailFault} */
function messageOf(root: MailRoot, messageId: string): MailMessage {
  const place = root.index.messages.place(messageId);
  if (!place) throw new MailFault('message_unknown', `${messageId} is no message of this mailbox root`);
  const message = root.messages.read(root.paths, place.canonical_path);
  if (message.messageId !== messageId)
    throw new MailFault('message_damaged', `${place.canonical_path}: is not ${messageId}`);
  return message;
}
