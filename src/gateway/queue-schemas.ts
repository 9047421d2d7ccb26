import { rowSchemas } from '../dispatch/queue/queue-tables.js';
import { reminderSchema } from '../dispatch/reminders/reminder-book.js';
import type { TableSchema } from '../storage/store.js';
import { notifierSchema } from './notifier/notifier-book.js';
import { epochSchema } from './status/epochs.js';

/** The tables of `queue.sqlite` besides those of its events. */
export const queueSchemas: readonly TableSchema[] = [
  ...rowSchemas,
  notifierSchema,
  epochSchema,
  reminderSchema,
];
