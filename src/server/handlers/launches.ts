import type { LaunchesHandlers } from '../../../generated/managed-agent/server/launches-handlers.js';
import { keyOfAnotherBody } from '../../contract/shared-refusals.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import type { Authority } from '../directory/authority.js';
import type { Registration } from '../directory/registration.js';
import { KeyTaken } from '../lifecycle/agent-launches.js';
import { RegistrationRefused } from '../lifecycle/registrations.js';
import type { ManagedAgentServer } from '../server.js';
import { toLaunchWish } from './launch-wire.js';
import { launchRefusal } from './launch-words.js';

export const launchHandlers = (server: ManagedAgentServer): LaunchesHandlers => ({
  launchHeadlessAgent: async ({ body, headers }, reply) => {
    const wish = toLaunchWish(body);
    const key = headers['Idempotency-Key'];
    try {
      const { authority, replayed } = await server.lifecycle.launches.launch(
        wish,
        key === undefined ? null : { key, body: JSON.stringify(wish) },
      );
      const launched = {
        success: true,
        tracked_agent_id: authority.tracked_agent_id,
        identity: identityOf(authority),
        manifest_path: authority.manifest_path,
        session_root: authority.session_root,
        detail: 'The agent is launched.',
      } as const;
      return reply(200, launched, replayed ? { 'Idempotency-Replayed': 'true' } : {});
    } catch (error) {
      if (error instanceof KeyTaken) return reply(422, { detail: keyOfAnotherBody });
      const refusal = launchRefusal(error, body);
      if (refusal === null) throw error;
      if (refusal.status === 503) server.parts.report(`nothing was launched: ${(error as Error).message}`);
      return reply(refusal.status, { detail: refusal.detail });
    }
  },

  registerLaunch: async ({ query }, reply) => {
    try {
      const terminalId = await server.lifecycle.registrations.register(toRegistration(query));
      return reply(200, { success: true, session_name: query.session_name, terminal_id: terminalId });
    } catch (error) {
      if (error instanceof TmuxFault)
        return reply(503, {
          detail: 'Whether there is such a tmux session is not known: tmux cannot be run now.',
        });
      if (!(error instanceof RegistrationRefused)) throw error;
      const { trouble } = error;
      switch (trouble.code) {
        case 'session_name':
          return reply(400, { detail: 'session_name must be a plain file name.' });
        case 'no_session':
          return reply(404, { detail: `No tmux session \`${trouble.tmuxSession}\` runs on this host.` });
        case 'no_terminal':
          return reply(404, { detail: `The session has no terminal \`${trouble.terminalId}\`.` });
        case 'field':
          return reply(422, { detail: `${trouble.field} ${trouble.rule}.` });
      }
    }
  },
});

const identityOf = (authority: Authority) => ({
  tracked_agent_id: authority.tracked_agent_id,
  transport: 'headless' as const,
  tool: authority.tool,
  session_name: null,
  terminal_id: null,
  runtime_session_id: authority.tracked_agent_id,
  tmux_session_name: authority.tmux_session_name,
  tmux_window_name: 'agent',
  manifest_path: authority.manifest_path,
  session_root: authority.session_root,
  agent_name: authority.agent_name,
  agent_id: authority.agent_id,
});

function toRegistration(
  query: Partial<Record<keyof Registration, string | undefined>> & { session_name: string; tool: string },
): Registration {
  return {
    session_name: query.session_name,
    tool: query.tool,
    terminal_id: query.terminal_id ?? null,
    observed_tool_version: query.observed_tool_version ?? null,
    manifest_path: query.manifest_path ?? null,
    session_root: query.session_root ?? null,
    agent_name: query.agent_name ?? null,
    agent_id: query.agent_id ?? null,
    tmux_session_name: query.tmux_session_name ?? null,
    tmux_window_name: query.tmux_window_name ?? null,
  };
}
