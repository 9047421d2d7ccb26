import { SharedDatabase } from '../root/shared-database.js';
import { MessageTable, messageTables } from './message-table.js';
import { ProjectionTable, projectionTables } from './projection-table.js';
import { RegistrationTable, registrationTables } from './registration-table.js';
import { ThreadTable, threadTable } from './thread-table.js';

/** `index.sqlite` of a root: who has a mailbox, which messages there are and who received them. */
export class MailIndex {
  readonly database: SharedDatabase;
  readonly registrations: RegistrationTable;
  readonly messages: MessageTable;
  readonly projections: ProjectionTable;
  readonly threads: ThreadTable;

  constructor(path: string) {
    this.database = new SharedDatabase(
      path,
      registrationTables + messageTables + projectionTables + threadTable,
    );
    this.registrations = new RegistrationTable(this.database);
    this.messages = new MessageTable(this.database);
    this.projections = new ProjectionTable(this.database);
    this.threads = new ThreadTable(this.database, 'messages');
  }
}
