import type { ServerHandlers } from '../../../generated/managed-agent/server/server-handlers.js';
import { toInstanceRecord } from '../directory/server-instance.js';
import type { ManagedAgentServer } from '../server.js';

export const processHandlers = ({ parts }: ManagedAgentServer): ServerHandlers => ({
  getCurrentInstance: (_context, reply) => reply(200, toInstanceRecord(parts.paths, parts.instance)),
  shutdownServer: (_context, reply) => {
    // A stopping server lets the answers under way go, this one too.
    parts.stop();
    return reply(200, { success: true });
  },
});
