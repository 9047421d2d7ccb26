import { afterAll, expect, test } from 'vitest';
import { findAgent, listAgents } from '../../../src/launch/agent-directory.js';
import type { AgentHost } from '../../../src/launch/agent-host.js';
import { checkLaunch } from '../../../src/launch/check-launch.js';
import { createSession } from '../../../src/launch/create-session.js';
import { attachGateway } from '../../../src/launch/gateway-attachment.js';
import { stopAgent } from '../../../src/launch/stop-agent.js';
import type { ExecutionMode } from '../../../src/session/current-instance.js';
import { call } from '../../support/http.js';
import { hostIn, requestFor } from '../../support/launch-host.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

// A program with a tmux server of its own, as one that serves many agents has: nothing in its environment says which.
const folder = temporaryFolder();
const own = ownTmux();
const host: AgentHost = { ...hostIn(folder), tmux: own.tmux };
afterAll(async () => {
  for (const agent of listAgents(host).agents) await stopAgent(agent, host);
});

test.each<ExecutionMode>(['detached_process', 'tmux_auxiliary_window'])(
  'a %s gateway runs turns on the tmux server of its host',
  async (mode) => {
    const name = mode.replaceAll('_', '-');
    const paths = await createSession(checkLaunch(requestFor(name, folder, { tmux: true }), host), host);
    const agent = findAgent(name, host);
    const session = agent.record.terminal.session_name;
    const requested = { host: null, port: null, mode, diagnosticLog: null, keeping: {}, flags: [] };
    const { url, instance, started } = await attachGateway(paths, requested, host);
    expect([started, instance.execution_mode]).toEqual([true, mode]);
    const windows = own.run('list-windows', '-t', session, '-F', '#{window_name}').trim().split('\n');
    expect(windows).toEqual(mode === 'detached_process' ? ['agent'] : ['agent', 'gateway']);
    expect(own.run('show-environment', '-t', session, 'HOUMAO_AGENT_GATEWAY_PORT')).toBe(
      `HOUMAO_AGENT_GATEWAY_PORT=${instance.port}\n`,
    );
    expect(findAgent(name, host).record.gateway).toMatchObject({ port: instance.port });

    const body = { kind: 'submit_prompt', payload: { prompt: 'on its own server' } };
    const { request_id } = (await call(url, 'POST', '/v1/requests', body)).body;
    const record = (await call(url, 'GET', `/v1/requests/${request_id}?wait_seconds=30`)).body;
    expect(record.state).toBe('completed');
    expect(own.run('capture-pane', '-p', '-t', `${session}:0.0`)).toContain('on its own server');

    expect(await stopAgent(agent, host)).toEqual({
      gatewayStopped: true,
      tmuxStopped: true,
      tmuxStays: null,
      leftUndone: [],
    });
    expect(await own.tmux.hasSession(session)).toBe(false);
    await expect(call(url, 'GET', '/health')).rejects.toThrow();
  },
);
