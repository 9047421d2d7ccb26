import type { Schema } from '../../storage/store.js';
import { turnSchema } from '../../turn/turn-schema.js';
import { idempotencySchema } from './idempotency-table.js';
import { queueControlSchema } from './queue-control-table.js';
import { requestSchema } from './request-table.js';

/** The requests and turns of a session in its `queue.sqlite`, as every owner of its turns has them open. */
export const rowSchemas: readonly Schema[] = [
  requestSchema,
  idempotencySchema,
  turnSchema,
  queueControlSchema,
];
