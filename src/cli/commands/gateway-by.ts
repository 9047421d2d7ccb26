import type { GatewayClient } from '@houmao/sdk';
import type { AgentHost } from '../../launch/agent-host.js';
import { type ServerFlag, serverFlagWords } from '../flags/server-flag.js';
import { runsHeadless } from '../words/agent-kind.js';
import { requireAtServer } from './at-server/agent-at-server.js';
import { findAgent, gatewayOf, gatewayOfFound } from './find-agent.js';
import { kindOf } from './way-to.js';

/** What the gateway of an agent does, whoever is asked for it. */
export type GatewayCalls = Pick<
  GatewayClient,
  | 'getStatus'
  | 'getQueue'
  | 'updateQueue'
  | 'reconcile'
  | 'getHeadlessState'
  | 'getTuiState'
  | 'getDialog'
  | 'answerDialog'
  | 'getTurn'
  | 'listRequests'
  | 'getRequest'
  | 'cancelRequest'
  | 'listEvents'
  | 'sendKeys'
  | 'listReminders'
  | 'getReminder'
  | 'createReminders'
  | 'updateReminder'
  | 'deleteReminder'
>;

/** Those that a queue answers, too, which is read without its gateway (stored-queue.ts). */
export type QueueCalls = {
  readonly [Call in 'listRequests' | 'getRequest' | 'listEvents']: (
    ...asked: Parameters<GatewayCalls[Call]>
  ) => Promise<Awaited<ReturnType<GatewayCalls[Call]>>>;
};

/** The gateway of an agent, or the server that was named, which passes on what it is asked. @throws {CommandFailure} */
export const gatewayBy = async (name: string, flags: ServerFlag, host: AgentHost): Promise<GatewayCalls> =>
  flags.server === undefined
    ? gatewayOf(name, host)
    : (await requireAtServer(name, flags, host)).agent.gateway;

/** The same of an agent in a terminal. @throws {CommandFailure} also of one that runs headless. */
export async function terminalBy(name: string, flags: ServerFlag, host: AgentHost): Promise<GatewayCalls> {
  const here = flags.server === undefined ? findAgent(name, host) : null;
  const there = here === null ? await requireAtServer(name, flags, host) : null;
  const inTerminal = here === null ? there?.identity.transport === 'tui' : kindOf(here).inTerminal;
  if (!inTerminal) throw runsHeadless({ name, server: serverFlagWords(flags) });
  return here === null ? there!.agent.gateway : gatewayOfFound(name, here, host);
}
