import { MailFault } from '../../message/mail-fault.js';
import { isBoxName } from '../../message/names.js';
import { projectionPath } from '../root/mail-paths.js';
import { whenFree } from '../root/shared-database.js';
import type { MessagePlace } from '../tables/message-table.js';
import type { StateRow } from '../tables/state-table.js';
import { type ActiveMailbox, activeMailbox, type MailboxName } from './active-mailbox.js';
import type { MailRoot } from './mail-root.js';
import { dropLink, makeBox, makeLink, takeBack } from './projection-links.js';
import { stateFromBoxes } from './state-defaults.js';

/** The flags to set; the others stay as they are. */
export interface StateFlags {
  read?: boolean;
  answered?: boolean;
  starred?: boolean;
  /** Only the flag: a caller that archives also moves the message to the box. */
  archived?: boolean;
  deleted?: boolean;
}

interface Subject {
  mailbox: ActiveMailbox;
  places: MessagePlace[];
}

const archive = 'archive';

/**
 * Sets the flags that a mailbox has for messages. All of them are changed or none.
 * @returns their rows, in the order of the ids.
 * @throws {MailFault} such as `message_unknown`; nothing is changed then.
 */
export const updateStates = (
  root: MailRoot,
  name: MailboxName,
  ids: readonly string[],
  flags: StateFlags,
): Promise<StateRow[]> =>
  root.work(() =>
    root.locks.withAddress(name.address, async () =>
      putStates(root, await lookUp(root, name, ids), ({ state }) => withFlags(state, flags)),
    ),
  );

/**
 * Moves messages to a box (docs/decisions.md#moves). Each is in this one box afterwards, also a message that its recipient has
 * sent. All of them are moved or none.
 * @param box checked by parseBoxName.
 * @param flags set with the move; a message that is moved to the archive counts as read.
 * @throws {MailFault} nothing is changed then, unless the code is `state_late`: they are moved.
 */
export const moveMail = (
  root: MailRoot,
  name: MailboxName,
  ids: readonly string[],
  { box, flags = {} }: { box: string; flags?: StateFlags },
): Promise<StateRow[]> =>
  root.work(() =>
    root.locks.withIndex([name.address], async () => {
      const subject = await lookUp(root, name, ids);
      const left = await project(root, subject, box);
      try {
        const rows = await putStates(root, subject, ({ state, boxes }) =>
          // A program that has moved it again since then, without a lock, is about to write that here.
          withFlags(boxes.includes(box) ? inBox(state, box) : state, flags),
        );
        await dropLeft(root, subject.mailbox, left);
        return rows;
      } catch (error) {
        throw new MailFault(
          'state_late',
          `the messages are in box ${box}, but the mailbox state of ${name.address} was not updated after commit; repair the mailbox: ${(error as Error).message}`,
          { cause: error },
        );
      }
    }),
  );

const lookUp = (root: MailRoot, name: MailboxName, ids: readonly string[]): Promise<Subject> =>
  whenFree(root.clock, root.paths.root, () => {
    const mailbox = activeMailbox(root, name);
    const places = ids.map((id) => root.index.messages.place(id) ?? unknown(id, mailbox));
    for (const place of places) knownOf(root, mailbox, place);
    return { mailbox, places };
  });

const unknown = (id: string, { registration }: ActiveMailbox): never => {
  throw new MailFault('message_unknown', `${id} is not in the mailbox of ${registration.address}`);
};

/** Returns the boxes that a message is in, and its row in the mailbox; where the row is missing, one made from the boxes. */
function knownOf(
  { index }: MailRoot,
  mailbox: ActiveMailbox,
  place: MessagePlace,
): { boxes: string[]; state: StateRow } {
  const { database, registration } = mailbox;
  const rows = index.projections.of(registration.registration_id, place.message_id);
  const boxes = rows.map((row) => row.folder_name);
  const state = database.states.get(place.message_id);
  if (!state && boxes.length === 0) unknown(place.message_id, mailbox);
  return { boxes, state: state ?? stateFromBoxes(place, boxes) };
}

/**
 * Makes the new links, then changes the index: a process that finds this half done can see from the index what was intended. The
 * previous boxes are read in the transaction, because the older implementation moves without a lock.
 * @returns the boxes that the messages were in, by message.
 */
async function project(
  root: MailRoot,
  { mailbox: { registration }, places }: Subject,
  box: string,
): Promise<Map<string, string[]>> {
  const { mailbox_path, registration_id, address } = registration;
  const { projections, database } = root.index;
  const undo: (() => void)[] = [];
  const moveOne = ({ message_id, canonical_path }: MessagePlace): string[] => {
    const path = projectionPath(mailbox_path, box, message_id);
    const rows = projections.of(registration_id, message_id);
    if (rows.length === 0) throw new MailFault('message_unknown', `${message_id} is in no box of ${address}`);
    undo.push(makeLink(path, canonical_path));
    const old = rows.filter((row) => row.folder_name !== box);
    for (const row of old) projections.delete(row);
    projections.put({ registration_id, message_id, folder_name: box, projection_path: path });
    return old.map((row) => row.folder_name);
  };
  try {
    undo.push(makeBox(mailbox_path, box));
    return await root.free(() =>
      database.transact(() => new Map(places.map((place) => [place.message_id, moveOne(place)]))),
    );
  } catch (error) {
    takeBack(undo);
    throw error;
  }
}

/**
 * Removes the old links, unless the index has them again. They are found by box and id, not by the path in the row: nothing
 * outside of the mailbox is ever removed. This runs in a transaction, so that no program moves a message back at this moment.
 */
const dropLeft = (
  root: MailRoot,
  { registration: { registration_id, mailbox_path } }: ActiveMailbox,
  left: ReadonlyMap<string, readonly string[]>,
): Promise<void> =>
  root.free(() =>
    root.index.database.transact(() => {
      for (const [id, boxes] of left) {
        const now = root.index.projections.of(registration_id, id).map((row) => row.folder_name);
        for (const box of boxes)
          if (!now.includes(box) && isBoxName(box)) dropLink(projectionPath(mailbox_path, box, id));
      }
    }),
  );

/** Changes rows of a mailbox, based on their state at this moment. */
const putStates = (
  root: MailRoot,
  { mailbox, places }: Subject,
  changed: (known: ReturnType<typeof knownOf>) => StateRow,
): Promise<StateRow[]> => {
  const { database, states, threads } = mailbox.database;
  return whenFree(root.clock, database.path, () =>
    database.transact(() => {
      const rows = places.map((place) => changed(knownOf(root, mailbox, place)));
      for (const row of rows) states.put(row);
      for (const thread of new Set(rows.map((row) => row.thread_id))) threads.refresh(thread);
      return rows;
    }),
  );
};

const inBox = (state: StateRow, box: string): StateRow => ({
  ...state,
  box_name: box,
  is_archived: box === archive ? 1 : 0,
  is_read: box === archive ? 1 : state.is_read,
});

function withFlags(state: StateRow, flags: StateFlags): StateRow {
  const flag = (value: boolean | undefined, old: 0 | 1): 0 | 1 => (value === undefined ? old : value ? 1 : 0);
  return {
    ...state,
    is_read: flag(flags.read, state.is_read),
    is_answered: flag(flags.answered, state.is_answered),
    is_starred: flag(flags.starred, state.is_starred),
    is_archived: flag(flags.archived, state.is_archived),
    is_deleted: flag(flags.deleted, state.is_deleted),
  };
}
