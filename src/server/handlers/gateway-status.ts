import { basename } from 'node:path';
import { UnusableFile } from '../../foundation/unusable-file.js';
import { attachIdentityOf } from '../../session/manifest-facts.js';
import { offlineState } from '../../session/offline-state.js';
import { sessionPaths } from '../../session/session-paths.js';
import type { ManagedAgent } from '../directory/managed-agent.js';
import { callLimit } from '../passing/call-limit.js';
import type { GatewayBody } from '../passing/gateway-calls.js';
import type { ManagedAgentServer } from '../server.js';
import { faultWords, manifestUnreadable, noSessionRoot } from './pass-words.js';

type GatewayStatus = GatewayBody<'getStatus'>;

/** The status of an agent's gateway, or why there is none. */
export type StatusAnswer =
  | { readonly status: 200; readonly body: GatewayStatus }
  | { readonly status: 422 | 503; readonly body: { detail: string } };

/**
 * A live gateway's own status. Without one, what the session keeps: a record of a gateway that was killed counts for nothing.
 * @param reference the agent as the caller named it.
 */
export async function gatewayStatus(
  server: ManagedAgentServer,
  agent: ManagedAgent,
  reference: string,
): Promise<StatusAnswer> {
  const passed = await server.passing.pass(agent, 'getStatus', {});
  if (passed.kind === 'no_session_root') return { status: 422, body: { detail: noSessionRoot(reference) } };
  if (passed.kind === 'no_gateway') return offline(server, agent);
  if (passed.kind === 'answered') {
    if (passed.answer.kind === 'done') return { status: 200, body: passed.answer.body };
    return {
      status: 503,
      body: { detail: `The gateway of agent \`${reference}\` refuses calls from this server.` },
    };
  }
  if (!passed.fault.mayHaveActed) return offline(server, agent);
  const call = { reference, reads: true, keyed: false, milliseconds: callLimit('getStatus', {}) };
  return { status: 503, body: { detail: faultWords(passed.fault, call) } };
}

/** The same where it is known that none is attached. */
export function offline(
  server: ManagedAgentServer,
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
