import { basename } from 'node:path';
import type { GatewayHandlers } from '../../../generated/managed-agent/server/gateway-handlers.js';
import { doneHeader } from '../../contract/refusals.js';
import { UnusableFile } from '../../foundation/faults.js';
import { attachIdentityOf } from '../../session/manifest-facts.js';
import { offlineState } from '../../session/offline-state.js';
import { sessionPaths } from '../../session/session-paths.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import { callLimit, type GatewayBody } from '../forwarding/gateway-calls.js';
import { AttachFault } from '../lifecycle/agent-gateways.js';
import type { ManagedAgentServer } from '../server.js';
import { faultWords, manifestUnreadable, noSessionRoot } from './forwarded.js';
import { agentOf } from './refusals.js';

export const gatewayHandlers = (
  server: Pick<ManagedAgentServer, 'directory' | 'forwarder' | 'lifecycle' | 'manifests'>,
): GatewayHandlers => ({
  getAgentGateway: async ({ path }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    const current = await gatewayStatus(server, agent, path.agent_ref);
    return current.status === 200 ? reply(200, current.body) : reply(current.status, current.body);
  },

  attachGateway: async ({ path, body }, reply) => {
    const reference = path.agent_ref;
    const { agent, refusal } = await agentOf(server.directory, reference, reply);
    if (refusal) return refusal;
    const settings = { mode: body?.execution_mode ?? null, timings: body?.tui_tracking_timings ?? null };
    try {
      const { started } = await server.lifecycle.gateways.attach(agent, settings);
      const current = await gatewayStatus(server, agent, reference);
      if (current.status !== 200)
        return started
          ? reply(503, { detail: doneAllTheSame('started', current) }, done)
          : reply(current.status, current.body);
      if (!started && current.body.request_admission === 'blocked_reconciliation')
        return reply(409, { detail: needsReconciliation(reference) }, attachRefused);
      return reply(200, current.body);
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
      const current = seen.status === 200 ? seen : offline(server, agent);
      if (current.status === 200) return reply(200, current.body);
      return ended
        ? reply(503, { detail: doneAllTheSame('ended', current) }, done)
        : reply(current.status, current.body);
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

type GatewayStatus = GatewayBody<'getStatus'>;

/** The status of an agent's gateway, or why there is none. */
type StatusAnswer =
  | { readonly status: 200; readonly body: GatewayStatus }
  | { readonly status: 422 | 503; readonly body: { detail: string } };

/**
 * Returns a live gateway's own status. Without one, it returns the status that the session's files give: a record of a
 * gateway that was killed is ignored.
 * @param reference the agent as the caller named it.
 */
async function gatewayStatus(
  server: Pick<ManagedAgentServer, 'forwarder' | 'manifests'>,
  agent: ManagedAgent,
  reference: string,
): Promise<StatusAnswer> {
  const result = await server.forwarder.forward(agent, 'getStatus', {});
  if (result.kind === 'no_session_root') return { status: 422, body: { detail: noSessionRoot(reference) } };
  if (result.kind === 'no_gateway') return offline(server, agent);
  if (result.kind === 'answered') {
    if (result.answer.kind === 'done') return { status: 200, body: result.answer.body };
    return {
      status: 503,
      body: { detail: `The gateway of agent \`${reference}\` refuses calls from this server.` },
    };
  }
  if (!result.fault.outcomeUnknown) return offline(server, agent);
  const call = { reference, reads: true, keyed: false, milliseconds: callLimit('getStatus', {}) };
  return { status: 503, body: { detail: faultWords(result.fault, call) } };
}

/** Returns the status of an agent that is known to have no gateway. */
function offline(
  server: Pick<ManagedAgentServer, 'manifests'>,
  { sessionRoot, manifestPath }: ManagedAgent,
): StatusAnswer {
  try {
    const paths = sessionPaths(sessionRoot ?? '');
    const manifest = server.manifests.read(manifestPath ?? paths.manifest);
    const state = offlineState(paths, manifest, attachIdentityOf(manifest, basename(paths.root)));
    return { status: 200, body: { ...state, ...nowhere } };
  } catch (error) {
    if (error instanceof UnusableFile) return { status: 503, body: { detail: manifestUnreadable } };
    throw error;
  }
}

const nowhere = {
  gateway_host: null,
  gateway_port: null,
  gateway_tmux_window_id: null,
  gateway_tmux_window_index: null,
  gateway_tmux_pane_id: null,
} as const;
