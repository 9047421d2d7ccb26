import type { GatewayHandlers } from '../../../generated/managed-agent/server/gateway-handlers.js';
import { AttachFault } from '../lifecycle/attach-fault.js';
import type { ManagedAgentServer } from '../server.js';
import { gatewayStatus } from './gateway-status.js';
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
      if (told.status !== 200) return reply(told.status, told.body);
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
      await server.lifecycle.gateways.detach(agent);
      const told = await gatewayStatus(server, agent, reference);
      return told.status === 200 ? reply(200, told.body) : reply(told.status, told.body);
    } catch (error) {
      if (!(error instanceof AttachFault)) throw error;
      if (error.reason === 'no_session_root') return reply(422, { detail: noSessionRoot(reference) });
      return reply(503, { detail: error.message });
    }
  },
});

const attachRefused = { 'X-Houmao-Error-Code': 'attach_refused' } as const;

const needsReconciliation = (reference: string): string =>
  `The gateway of agent \`${reference}\` is attached and blocked: the agent was replaced, and reconciliation of what waits for its predecessor is required first.`;
