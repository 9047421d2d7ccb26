import type { GatewayClient } from '@houmao/sdk';
import type { AgentHost } from '../../launch/agent-host.js';
import type { ServerFlag } from '../flags/server-flag.js';
import { requireAtServer } from './at-server/agent-at-server.js';
import { gatewayOf } from './find-agent.js';

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
