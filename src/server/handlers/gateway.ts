import type { GatewayHandlers } from '../../../generated/managed-agent/server/gateway-handlers.js';
import { doneHeader } from '../../contract/done-header.js';
import { AttachFault } from '../lifecycle/attach-fault.js';
import type { ManagedAgentServer } from '../server.js';
import { gatewayStatus, offline, type StatusAnswer } from './gateway-status.js';
import { noSessionRoot } from './pass-words.js';
import { agentOf } from './refusals.js';

export const gatewayHandlers = (server: ManagedAgentServer): GatewayHandlers => ({
  getAgentGateway: async ({ path }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    const told = await gatewayStatus(server, agent, path.agent_ref);
    return told.status === 200 ? reply(200, told.body) : reply(told.status, told.body);
  },

  attachGateway: async ({ path, body }, reply) => {
    const reference = path.agent_ref;
    const { agent, refusal } = await agentOf(server.directory, reference, reply);
    if (refusal) return refusal;
    const wish = { mode: body?.execution_mode ?? null, timings: body?.tui_tracking_timings ?? null };
    try {
      const { started } = await server.lifecycle.gateways.attach(agent, wish);
      const told = await gatewayStatus(server, agent, reference);
      if (told.status !== 200)
        return started
          ? reply(503, { detail: doneAllTheSame('started', told) }, done)
          : reply(told.status, told.body);
      if (!started && told.body.request_admission === 'blocked_reconciliation')
        return reply(409, { detail: needsReconciliation(reference) }, attachRefused);
      return reply(200, told.body);
    } catch (error) {
      if (!(error instanceof AttachFault)) throw error;
      if (error.reason === 'no_session_root') return reply(422, { detail: noSessionRoot(reference) });
      return error.reason === 'conflict'
        ? reply(409, { detail: error.message }, attachRefused)
        : reply(503, { detail: error.message });
    }
  },

  detachGateway: async ({ path }, reply) => {
    const reference = path.agent_ref;
    const { agent, refusal } = await agentOf(server.directory, reference, reply);
    if (refusal) return refusal;
    try {
      const ended = await server.lifecycle.gateways.detach(agent);
      const seen = await gatewayStatus(server, agent, reference);
      // The gateway that gave no answer is the one that was ended.
      const told = seen.status === 200 ? seen : offline(server, agent);
      if (told.status === 200) return reply(200, told.body);
      return ended
        ? reply(503, { detail: doneAllTheSame('ended', told) }, done)
        : reply(told.status, told.body);
    } catch (error) {
      if (!(error instanceof AttachFault)) throw error;
      if (error.reason === 'no_session_root') return reply(422, { detail: noSessionRoot(reference) });
      return reply(503, { detail: error.message });
    }
  },
});

const done = { [doneHeader]: 'true' } as const;

const doneAllTheSame = (what: string, { body }: Extract<StatusAnswer, { status: 422 | 503 }>): string =>
  `The gateway was ${what}; its status is not known: ${body.detail}`;

const attachRefused = { 'X-Houmao-Error-Code': 'attach_refused' } as const;

const needsReconciliation = (reference: string): string =>
  `The gateway of agent \`${reference}\` is attached and blocked: the agent was replaced, and the requests that wait for its predecessor must be reconciled first.`;
