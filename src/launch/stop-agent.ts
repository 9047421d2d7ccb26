import { existsSync } from 'node:fs';
import { turnHostOf } from '../session/manifest-facts.js';
import type { Manifest } from '../session/manifest-schema.js';
import { withdrawRecord } from '../session/registry.js';
import { TmuxFault } from '../terminal/tmux-fault.js';
import type { FoundAgent } from './agent-directory.js';
import type { AgentHost } from './agent-host.js';
import { detachGateway } from './detach-gateway.js';
import { endLeftInTerminal, processesInTerminal } from './end-terminal.js';
import { LaunchFault } from './launch-fault.js';

/** What stopping an agent came to. */
export interface StoppedAgent {
  gatewayStopped: boolean;
  tmuxStopped: boolean;
  /** What could not be done or told, a sentence each; empty when all went well. */
  leftUndone: string[];
}

/**
 * Ends the gateway and the tmux session of an agent, then takes its registry record away; its files stay. What a
 * manifest that cannot be read would say, the record must do for.
 * @throws {LaunchFault} when the agent's tmux session could not be ended: the agent then stays registered.
 * @throws {UnusableFile} when nobody knows which process its gateway is; nothing was changed then.
 */
export async function stopAgent(agent: FoundAgent, host: AgentHost): Promise<StoppedAgent> {
  const { paths, record } = agent;
  // A root that is gone is not made again.
  const detached = existsSync(paths.root) ? await detachGateway(paths, host) : null;
  const { stopped: gatewayStopped = false, manifest = null, leftUndone = [] } = detached ?? {};
  const tmuxStopped = await endTmux(agent, manifest, host, leftUndone);
  withdrawRecord(host.registryRoot, record.agent_id, record.generation_id);
  return { gatewayStopped, tmuxStopped, leftUndone };
}

/** @returns whether a session was there. */
async function endTmux(
  { name, record }: FoundAgent,
  manifest: Manifest | null,
  host: AgentHost,
  leftUndone: string[],
): Promise<boolean> {
  if (manifest && turnHostOf(manifest) === 'process') return false;
  const session = manifest?.tmux_session_name ?? record.terminal.session_name;
  try {
    const left =
      manifest?.backend === 'local_interactive' ? await processesInTerminal(host.tmux, session) : [];
    const stopped = await host.tmux.killSession(session);
    await endLeftInTerminal(left, host.clock);
    return stopped;
  } catch (error) {
    if (!(error instanceof TmuxFault)) throw error;
    if (manifest)
      throw new LaunchFault(
        `The tmux session ${session} could not be ended (${error.message}). ${name} stays registered, without its gateway; stop it again once tmux can be run.`,
        { cause: error },
      );
    // The agent may never have had one.
    leftUndone.push(`Whether the tmux session ${session} still runs is not known (${error.message}).`);
    return false;
  }
}
