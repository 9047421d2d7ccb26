import type { Schema } from '../storage/store.js';
import { turnSchema } from '../turn/turn-table.js';
import { epochSchema } from './epoch/epoch-table.js';
import { mailSubmissionSchema } from './mail/mail-submission-table.js';
import { notifierSchema } from './notifier/notifier-schema.js';
import { idempotencySchema } from './requests/idempotency-table.js';
import { queueControlSchema } from './requests/queue-control-table.js';
import { requestSchema } from './requests/request-table.js';

/** What `queue.sqlite` holds beside its events. */
export const queueSchemas: readonly Schema[] = [
  requestSchema,
  notifierSchema,
  idempotencySchema,
  turnSchema,
  epochSchema,
  queueControlSchema,
  mailSubmissionSchema,
];
