import { rowSchemas } from '../dispatch/queue/row-schemas.js';
import { reminderSchema } from '../dispatch/reminders/reminder-table.js';
import type { Schema } from '../storage/store.js';
import { controlKeySchema } from './control/control-key-table.js';
import { reminderKeySchema } from './control/reminder-key-table.js';
import { epochSchema } from './epoch/epoch-table.js';
import { mailSubmissionSchema } from './mail/mail-submission-table.js';
import { notifierSchema } from './notifier/notifier-schema.js';

/** What `queue.sqlite` holds beside its events. */
export const queueSchemas: readonly Schema[] = [
  ...rowSchemas,
  notifierSchema,
  epochSchema,
  mailSubmissionSchema,
  controlKeySchema,
  reminderSchema,
  reminderKeySchema,
];
