import type { GatewayClient, Schemas } from '@houmao/sdk';
import type { Agent } from '@houmao/sdk/managed-agent';
import type { AgentHost } from '../../../launch/agent-host.js';
import { unprefixedName } from '../../../launch/agent-name.js';
import { attachedGateway } from '../../../protocols/agent-work.js';
import { type ServerFlag, serverFlagWords } from '../../flags/options.js';
import { CommandFailure, exitCodes, namedAs } from '../../words/command-failure.js';
import type { Output } from '../../words/terminal-output.js';
import { type AgentAtServer, noGatewayAtServer, requireAtServer } from '../at-server/agent-at-server.js';
import { type AgentChoice, askedName, type ChosenAgent, noAgentNamed, requireKind } from '../chosen-agent.js';
import { gatewayOfFound } from '../find-agent.js';
import { type AgentMail, explainedMailCall, keyed, withMailOf } from './agent-mail.js';

type Notifier = Pick<GatewayClient, 'getMailNotifier' | 'updateMailNotifier' | 'disableMailNotifier'>;

/** The way to the mail of an agent and to its notifier. */
export interface MailWay {
  /** The name of the agent in texts for people. */
  readonly name: string;
  /**
   * The name that the operator used, and the flag that leads to the agent's server, with a blank before it; empty without one.
   */
  readonly asked: string;
  readonly server: string;
  /** Whether paths in flags are files of this machine. */
  readonly here: boolean;
  /** @throws {CommandFailure} @throws {MailFault} @throws {MailRefusal} */
  withMail<T>(work: (mail: AgentMail) => Promise<T>): Promise<T>;
  /** @throws {CommandFailure} */
  withNotifier<T>(work: (notifier: Notifier) => Promise<T>): Promise<T>;
}

/** The inputs of a command for the mail of one agent. */
export interface MailCommandCall {
  readonly way: MailWay;
  readonly output: Output;
}

/** Returns the way to an agent of this machine. */
export const wayHere = (chosen: ChosenAgent, host: AgentHost): MailWay => ({
  name: unprefixedName(chosen.agent.name),
  asked: chosen.asked,
  server: '',
  here: true,
  withMail: (work) => withMailOf(chosen, host, work),
  withNotifier: async (work) =>
    explainedMailCall(work(await gatewayOfFound(chosen.asked, chosen.agent, host))),
});

/** Returns the way to an agent of a managed-agent server, which forwards calls to its gateway. @throws {CommandFailure} */
export async function wayByServer(choice: AgentChoice, flags: ServerFlag, host: AgentHost): Promise<MailWay> {
  const asked = askedName(choice);
  if (asked === null) throw noAgentNamed(choice.place, 'It cannot be left out with --server.', host);
  const found = await requireAtServer(asked, flags, host);
  const { agent_name: name, agent_id: id } = found.identity;
  requireKind(choice, { name: name ?? asked, id: id ?? asked });
  return {
    name: name === null ? asked : unprefixedName(name),
    asked,
    server: serverFlagWords(flags),
    here: false,
    withMail: (work) => explainedAtServer(work(mailAtServer(found.agent)), found, asked),
    withNotifier: (work) => explainedAtServer(work(found.agent.gateway), found, asked),
  };
}

/** Returns the mail of an agent of a managed-agent server, whose gateway does the work. */
const mailAtServer = (agent: Agent): AgentMail => ({
  path: 'gateway_backed',
  status: () => agent.getAgentMailStatus(),
  list: (body) => agent.listAgentMail({ body }),
  peek: (body) => agent.peekAgentMail({ body }),
  read: (body) => agent.readAgentMail({ body }),
  attachment: (body) => agent.fetchAgentMailAttachment({ body }),
  send: (body, key) => agent.sendAgentMail({ body, ...keyed(key) }),
  post: (body, key) => agent.postAgentMail({ body, ...keyed(key) }),
  reply: (body, key) => agent.replyAgentMail({ body, ...keyed(key) }),
  // The gateway checks that at least one mark is given.
  mark: (body) => agent.markAgentMail({ body: body as Schemas['MailMarkRequest'] }),
  move: (body) => agent.moveAgentMail({ body }),
  archive: (body) => agent.archiveAgentMail({ body }),
});

/**
 * Rethrows a refusal in the words of server and gateway, with the agent named as the operator named it. Without a gateway, the
 * failure names the command that starts one.
 * @throws {CommandFailure}
 */
async function explainedAtServer<T>(call: Promise<T>, found: AgentAtServer, name: string): Promise<T> {
  try {
    return await explainedMailCall(call);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const refused = error.errorCode === 'gateway_unreachable' && error.exitCode !== exitCodes.outcomeUnknown;
    const alone = refused && (await attachedGateway(found.agent).catch(() => found)) === null;
    throw alone
      ? noGatewayAtServer(name, serverFlagWords({ server: found.url }))
      : namedAs(error, found.identity, name);
  }
}
