import { sharedGroups } from '../core/groups.js';
import type { DocumentedGroups } from '../generated/gateway/types/methods.js';

/** The groups of a gateway's operations. `requests`, `events`, `control` and `usage` are methods of the client. */
export const groups: Record<keyof DocumentedGroups, RegExp> = sharedGroups;
