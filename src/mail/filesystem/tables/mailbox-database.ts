import { join } from 'node:path';
import { SharedDatabase } from '../root/shared-database.js';
import { StateTable, stateTables } from './state-table.js';
import { ThreadTable, threadTable } from './thread-table.js';

/** `mailbox.sqlite` of a mailbox: what its owner has read, answered, moved. */
export class MailboxDatabase {
  readonly database: SharedDatabase;
  readonly states: StateTable;
  readonly threads: ThreadTable;

  constructor(mailboxPath: string) {
    this.database = new SharedDatabase(join(mailboxPath, 'mailbox.sqlite'), stateTables + threadTable);
    this.states = new StateTable(this.database);
    this.threads = new ThreadTable(this.database, 'message_state');
  }
}
