import { rowSchemas } from '../../dispatch/queue/row-schemas.js';
import type { Schema } from '../../storage/store.js';
import { submissionSchema } from './submission-table.js';

/** What the server uses of `queue.sqlite` beside its events; a gateway adds tables of its own. */
export const sessionSchemas: readonly Schema[] = [...rowSchemas, submissionSchema];
