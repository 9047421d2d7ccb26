import type { MailHandlers } from '../../../generated/managed-agent/server/mail-handlers.js';
import { UnusableFile } from '../../foundation/unusable-file.js';
import { sessionPaths } from '../../session/session-paths.js';
import type { ManagedAgent } from '../directory/managed-agent.js';
import {
  checkOfList,
  listOfCheck,
  type MailCheck,
  type MailState,
  markOfState,
  stateOfMark,
} from '../passing/mail-follow-up.js';
import { mailResolution } from '../passing/mail-resolution.js';
import type { ManagedAgentServer } from '../server.js';
import { type PassObstacle, passTo } from './pass-to.js';
import { mailboxUnreadable, manifestUnreadable, noMailbox } from './pass-words.js';
import { agentOf } from './refusals.js';

/** The mailbox comes first, the gateway second: an agent without a mailbox is told so, whatever runs beside it. */
export const mailHandlers = (server: ManagedAgentServer): MailHandlers => {
  const bindingOf = ({ manifestPath }: ManagedAgent) =>
    manifestPath === null ? null : (server.manifests.read(manifestPath).launch_plan.mailbox ?? null);
  const obstacle = (
    agent: ManagedAgent,
    reference: string,
  ): PassObstacle<'no_mailbox' | 'unavailable'> | null => {
    try {
      return bindingOf(agent) ? null : { code: 'no_mailbox', detail: noMailbox(reference) };
    } catch (error) {
      if (error instanceof UnusableFile) return { code: 'unavailable', detail: manifestUnreadable };
      throw error;
    }
  };
  const gatewayOf = async ({ sessionRoot: root }: ManagedAgent) => {
    const live = root === null ? null : await server.liveGateways.of(root);
    return root === null || live === null ? null : { live, paths: sessionPaths(root) };
  };
  const pass = passTo(server);
  return {
    resolveAgentMailbox: async ({ path }, reply) => {
      const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
      if (refusal) return refusal;
      const refuse = ({ code, detail }: PassObstacle<'no_mailbox' | 'unavailable'>) =>
        reply(503, { detail }, { 'X-Houmao-Error-Code': code });
      const no = obstacle(agent, path.agent_ref);
      if (no !== null) return refuse(no);
      const binding = bindingOf(agent);
      const resolution = binding && mailResolution(binding, await gatewayOf(agent));
      return resolution ? reply(200, resolution) : refuse({ code: 'unavailable', detail: mailboxUnreadable });
    },

    checkAgentMail: pass('listMail', {
      obstacle,
      ask: (body) => listOfCheck(body as MailCheck),
      tell: (list, asked) => checkOfList(list, asked as MailCheck),
    }),
    setAgentMailState: pass('markMail', {
      obstacle,
      ask: (body) => markOfState(body as MailState),
      tell: (mark, asked) => stateOfMark(mark, asked as MailState),
    }),

    getAgentMailStatus: pass('getMailStatus', { obstacle }),
    listAgentMail: pass('listMail', { obstacle }),
    peekAgentMail: pass('peekMail', { obstacle }),
    readAgentMail: pass('readMail', { obstacle }),
    fetchAgentMailAttachment: pass('fetchMailAttachment', { obstacle }),
    sendAgentMail: pass('sendMail', { obstacle }),
    postAgentMail: pass('postMail', { obstacle }),
    replyAgentMail: pass('replyMail', { obstacle }),
    markAgentMail: pass('markMail', { obstacle }),
    moveAgentMail: pass('moveMail', { obstacle }),
    archiveAgentMail: pass('archiveMail', { obstacle }),
  };
};
