import type { Schemas } from '@houmao/sdk';
import { type Agent, isHoumaoError } from '@houmao/sdk/managed-agent';
import { serverFlagWords } from '../../flags/server-flag.js';
import { CommandFailure, exitCodes } from '../../words/command-failure.js';
import { namedAs } from '../../words/named-as.js';
import type { AgentAtServer } from '../at-server/agent-at-server.js';
import { noGatewayAtServer } from '../at-server/gateway-at-server.js';
import { type AgentMail, keyed, told } from './agent-mail.js';

/** The mail of an agent of a managed-agent server, whose gateway does the work. */
export const mailAtServer = (agent: Agent): AgentMail => ({
  path: 'gateway_backed',
  status: () => agent.getAgentMailStatus(),
  list: (body) => agent.listAgentMail({ body }),
  peek: (body) => agent.peekAgentMail({ body }),
  read: (body) => agent.readAgentMail({ body }),
  attachment: (body) => agent.fetchAgentMailAttachment({ body }),
  send: (body, key) => agent.sendAgentMail({ body, ...keyed(key) }),
  post: (body, key) => agent.postAgentMail({ body, ...keyed(key) }),
  reply: (body, key) => agent.replyAgentMail({ body, ...keyed(key) }),
  // That one mark is given, the gateway says.
  mark: (body) => agent.markAgentMail({ body: body as Schemas['MailMarkRequest'] }),
  move: (body) => agent.moveAgentMail({ body }),
  archive: (body) => agent.archiveAgentMail({ body }),
});

/**
 * A refusal in the words of server and gateway, with the agent named as the operator named it; where there is no gateway, how the
 * agent gets one.
 * @throws {CommandFailure}
 */
export async function toldAtServer<T>(
  call: Promise<T>,
  { url, agent, identity }: AgentAtServer,
  name: string,
): Promise<T> {
  try {
    return await told(call);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const refused = error.errorCode === 'gateway_unreachable' && error.exitCode !== exitCodes.notKnown;
    const alone = refused && (await hasNoGateway(agent));
    throw alone ? noGatewayAtServer(name, serverFlagWords({ server: url })) : namedAs(error, identity, name);
  }
}

async function hasNoGateway(agent: Agent): Promise<boolean> {
  try {
    return (await agent.gateway.getStatus()).gateway_health === 'not_attached';
  } catch (error) {
    if (isHoumaoError(error)) return false;
    throw error;
  }
}
