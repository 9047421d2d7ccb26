import { isBoxName } from '../../message/names.js';
import { whenFree } from '../root/shared-database.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { MailRoot } from './mail-root.js';
import { stateFromBoxes } from './state-defaults.js';

/** Fills a mailbox's own database from the index where it is empty, and makes its summaries again. */
export async function seedStates(root: MailRoot, registration: RegistrationRow): Promise<void> {
  const { database, states, threads } = root.database(registration.mailbox_path);
  await whenFree(root.clock, database.path, () =>
    database.transact(() => {
      if (states.isEmpty())
        for (const [id, names] of boxesByMessage(root, registration.registration_id)) {
          const place = root.index.messages.place(id);
          if (place) states.put(stateFromBoxes(place, names));
        }
      threads.refreshAll();
    }),
  );
}

/** Returns the boxes of a registration that each message is in. */
export function boxesByMessage(root: MailRoot, registrationId: string): Map<string, string[]> {
  const boxes = new Map<string, string[]>();
  for (const { message_id: id, folder_name: box } of root.index.projections.ofRegistration(registrationId))
    if (isBoxName(box)) boxes.set(id, [...(boxes.get(id) ?? []), box]);
  return boxes;
}
