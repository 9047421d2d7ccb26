import { existsSync } from 'node:fs';
import { systemClock } from '../../foundation/clock.js';
import { agentIdOf, canonicalName } from '../../launch/agent-name.js';
import { createSession } from '../../launch/create-session.js';
import { attachGateway, detachGateway } from '../../launch/gateway-lifecycle.js';
import { liveGateway, urlOf } from '../../launch/live-gateway.js';
import { readManifest, turnHostOf } from '../../session/manifest.js';
import { isFresh, listRecords, readRecord, registryRoot, withdrawRecord } from '../../session/registry.js';
import { hasSession, killSession } from '../../terminal/tmux.js';
import { type FoundAgent, findAgent, toFound } from '../find-agent.js';
import { type GatewayFlags, toGatewayWish } from '../gateway-flags.js';
import { type LaunchFlags, toLaunchRequest } from '../launch-options.js';
import { CommandFailure, type Output, table } from '../terminal-output.js';

/** `agents launch`: session, registry record and, unless told otherwise, the gateway beside it. */
export async function launchAgent(
  flags: LaunchFlags & GatewayFlags & { gateway: boolean },
  toolArguments: readonly string[],
  output: Output,
): Promise<void> {
  const request = toLaunchRequest(flags, toolArguments, process.env);
  refuseTaken(request.name);
  output.progress(
    `Creating the session of ${request.name} (${request.tool}, headless${request.tmux ? ', in tmux' : ''})`,
  );
  if (request.unattended) output.progress('Unattended: the tool will not ask for permissions.');
  const paths = await createSession(request, process.env, systemClock.now());
  let url: string | null = null;
  if (flags.gateway) {
    output.progress('Starting its gateway');
    const attached = await attachGateway(paths, toGatewayWish(flags), process.env, systemClock);
    url = attached.url;
  }
  const manifest = readManifest(paths.manifest);
  output.result(
    {
      agent_name: manifest.agent_name,
      agent_id: manifest.agent_id,
      backend: manifest.backend,
      session_root: paths.root,
      manifest_path: paths.manifest,
      tmux_session_name: request.tmux ? manifest.tmux_session_name : null,
      gateway_url: url,
    },
    [
      `Agent ${request.name} is ready.`,
      `  session  ${paths.root}`,
      ...(request.tmux ? [`  tmux     tmux attach -t ${manifest.tmux_session_name}`] : []),
      ...(url
        ? [
            `  gateway  ${url}  (read the API at ${url}/docs)`,
            `  try      houmao-mgr agents prompt ${request.name} "Hello"`,
          ]
        : []),
    ],
  );
}

function refuseTaken(name: string): void {
  const record = readRecord(registryRoot(process.env), agentIdOf(name));
  if (record && isFresh(record, systemClock.now())) {
    throw new CommandFailure(
      `There is an agent ${canonicalName(name)} already; choose another --name, or stop it: houmao-mgr agents stop ${name}`,
    );
  }
}

/** `agents list`. */
export async function listAgents(output: Output): Promise<void> {
  const records = listRecords(registryRoot(process.env), (fault) =>
    output.progress(`left out: ${fault.message}`),
  );
  const agents = await Promise.all(records.map(toFound).map(describe));
  output.result(
    { agents },
    agents.length === 0
      ? ['No agents. Launch one with: houmao-mgr agents launch --tool claude --headless']
      : table([
          ['NAME', 'TOOL', 'GATEWAY', 'SESSION'],
          ...agents.map((agent) => [
            agent.agent_name,
            agent.tool,
            agent.gateway_url ?? '-',
            agent.session_root,
          ]),
        ]),
  );
}

async function describe(agent: FoundAgent) {
  const instance = existsSync(agent.paths.manifest) ? await liveGateway(agent.paths).catch(() => null) : null;
  return {
    agent_name: agent.name,
    agent_id: agent.record.agent_id,
    tool: agent.record.identity.tool,
    backend: agent.record.identity.backend,
    session_root: agent.paths.root,
    gateway_url: instance ? urlOf(instance) : null,
    lease_expires_at: agent.record.lease_expires_at,
  };
}

/** `agents stop`: gateway, tmux session and registry record; the session root stays. */
export async function stopAgent(name: string, output: Output): Promise<void> {
  const record = readRecord(registryRoot(process.env), agentIdOf(name));
  const agent =
    record && !existsSync(toFound(record).paths.manifest) ? toFound(record) : findAgent(name, process.env);
  const there = existsSync(agent.paths.manifest);
  let gatewayStopped = false;
  let tmuxStopped = false;
  if (there) {
    output.progress('Stopping its gateway');
    gatewayStopped = await detachGateway(agent.paths, process.env, systemClock);
    const manifest = readManifest(agent.paths.manifest);
    const session = manifest.tmux_session_name ?? '';
    if (turnHostOf(manifest) === 'tmux' && (await hasSession(session))) {
      await killSession(session);
      tmuxStopped = true;
    }
  }
  withdrawRecord(registryRoot(process.env), agent.record.agent_id, agent.record.generation_id);
  output.result(
    {
      agent_name: agent.name,
      gateway_stopped: gatewayStopped,
      tmux_stopped: tmuxStopped,
      session_root: agent.paths.root,
    },
    [`Stopped ${agent.name}.${there ? ` Its files stay in ${agent.paths.root}` : ''}`],
  );
}
