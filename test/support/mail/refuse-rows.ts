import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { addressOf } from './mail-root.js';

/**
 * From now on a mailbox's own database takes no new row of messages with that subject, as if its disk failed in this very moment.
 * @param mailboxes the folder of them. @returns mends it.
 */
export function refuseRows(mailboxes: string, name: string, subject: string): () => void {
  const database = openDatabase(join(mailboxes, addressOf(name), 'mailbox.sqlite'));
  onTestFinished(() => void database.close());
  const trigger = `refuse_${Buffer.from(subject).toString('hex')}`;
  database.exec(
    `CREATE TRIGGER ${trigger} BEFORE INSERT ON message_state WHEN NEW.subject = '${subject}' BEGIN SELECT RAISE(ABORT, 'the disk is gone'); END`,
  );
  return () => void database.exec(`DROP TRIGGER ${trigger}`);
}
