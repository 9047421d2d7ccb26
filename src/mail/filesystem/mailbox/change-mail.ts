import { MailFault } from '../../message/mail-fault.js';
import { projectionPath } from '../root/mail-paths.js';
import { whenFree } from '../root/when-free.js';
import type { MessagePlace } from '../tables/message-table.js';
import type { ProjectionRow } from '../tables/projection-table.js';
import type { StateRow } from '../tables/state-table.js';
import { type ActiveMailbox, activeMailbox, type MailboxName } from './active-mailbox.js';
import { isBoxName } from './box-name.js';
import type { MailRoot } from './mail-root.js';
import { dropLink, makeBox, makeLink } from './projection-links.js';
import { stateFromBoxes } from './state-defaults.js';

/** What is set; the others stay as they are. */
export interface StateFlags {
  read?: boolean;
  answered?: boolean;
  starred?: boolean;
  /** The flag alone: whoever archives moves to the box. */
  archived?: boolean;
  deleted?: boolean;
}

interface Subject {
  place: MessagePlace;
  projections: ProjectionRow[];
  state: StateRow;
}

const archive = 'archive';

/**
 * Sets what a mailbox knows of messages. All of them are changed or none.
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
    root.locks.withAddress(name.address, async () => {
      const { mailbox, subjects } = await lookUp(root, name, ids);
      const rows = subjects.map(({ state }) => withFlags(state, flags));
      return putStates(root, mailbox, rows);
    }),
  );

/**
 * Moves messages to a box (docs/decisions.md#moves). Each stands in this one box afterwards, also one that its recipient
 * has sent. All of them are moved or none.
 * @param box by parseBoxName.
 * @param flags set with it; what is moved to the archive counts as read.
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
      const { mailbox, subjects } = await lookUp(root, name, ids);
      for (const { place, projections } of subjects)
        if (projections.length === 0)
          throw new MailFault('message_unknown', `${place.message_id} is in no box of ${name.address}`);
      await project(root, mailbox, subjects, box);
      const rows = subjects.map(({ state }) => withFlags(inBox(state, box), flags));
      try {
        return await putStates(root, mailbox, rows);
      } catch (error) {
        throw new MailFault(
          'state_late',
          `the messages are in box ${box}, but the mailbox state of ${name.address} was not updated after commit; repair the mailbox: ${(error as Error).message}`,
          { cause: error },
        );
      }
    }),
  );

const lookUp = (
  root: MailRoot,
  name: MailboxName,
  ids: readonly string[],
): Promise<{ mailbox: ActiveMailbox; subjects: Subject[] }> =>
  whenFree(root.clock, root.paths.root, () => {
    const mailbox = activeMailbox(root, name);
    return { mailbox, subjects: ids.map((id) => subjectOf(root, mailbox, id)) };
  });

/** A message of the mailbox; where its own row is missing, what its boxes say of it. */
function subjectOf({ index }: MailRoot, { registration, database }: ActiveMailbox, id: string): Subject {
  const unknown = (): never => {
    throw new MailFault('message_unknown', `${id} is not in the mailbox of ${registration.address}`);
  };
  const place = index.messages.place(id) ?? unknown();
  const projections = index.projections.of(registration.registration_id, id);
  const state = database.states.get(id);
  if (!state && projections.length === 0) unknown();
  const boxes = projections.map((row) => row.folder_name);
  return { place, projections, state: state ?? stateFromBoxes(place, boxes) };
}

/** Links first, then the index, then the old links: whoever finds it half done can tell from the index what is to be. */
async function project(
  root: MailRoot,
  { registration }: ActiveMailbox,
  subjects: readonly Subject[],
  box: string,
): Promise<void> {
  const path = (id: string): string => projectionPath(registration.mailbox_path, box, id);
  const undo: (() => void)[] = [];
  try {
    undo.push(makeBox(registration.mailbox_path, box));
    for (const { place } of subjects) undo.push(makeLink(path(place.message_id), place.canonical_path));
    await whenFree(root.clock, root.paths.index, () =>
      root.index.database.transact(() => {
        for (const { place, projections } of subjects) {
          for (const row of projections) if (row.folder_name !== box) root.index.projections.delete(row);
          root.index.projections.put({
            ...{ registration_id: registration.registration_id, message_id: place.message_id },
            ...{ folder_name: box, projection_path: path(place.message_id) },
          });
        }
      }),
    );
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw error;
  }
  // By box and id, not by the path in the row: nothing outside of the mailbox is ever removed.
  for (const { place, projections } of subjects)
    for (const { folder_name: old } of projections)
      if (old !== box && isBoxName(old))
        dropLink(projectionPath(registration.mailbox_path, old, place.message_id));
}

async function putStates(
  root: MailRoot,
  { database: { database, states, threads } }: ActiveMailbox,
  rows: readonly StateRow[],
): Promise<StateRow[]> {
  await whenFree(root.clock, database.path, () =>
    database.transact(() => {
      for (const row of rows) states.put(row);
      for (const thread of new Set(rows.map((row) => row.thread_id))) threads.refresh(thread);
    }),
  );
  return [...rows];
}

const inBox = (state: StateRow, box: string): StateRow => ({
  ...state,
  ...{ box_name: box, is_archived: box === archive ? 1 : 0, is_read: box === archive ? 1 : state.is_read },
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
