import { sharedGroups } from '../core/groups.js';
import type { DocumentedGroups } from '../generated/managed-agent/types/methods.js';

/** The groups of the server's operations. Those of an agent's gateway are at `client.agent(ref).gateway`. */
export const groups: Record<string, RegExp> & Record<keyof DocumentedGroups, RegExp> = {
  ...sharedGroups,
  agents: /Agents?(?!Mail)/,
  notifications: /Notifications?/,
};
