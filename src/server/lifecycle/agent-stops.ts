import { existsSync } from 'node:fs';
import { createGatewayClient, isGatewayError } from '@houmao/sdk';
import { UnusableFile, unlessUnusable } from '../../foundation/faults.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { detachGateway } from '../../launch/gateway-attachment.js';
import { LaunchFault } from '../../launch/launch-fault.js';
import { probeGateway, urlOf } from '../../launch/live-gateway.js';
import { type AgentToStop, endAgent, type StopResult } from '../../launch/stop-agent.js';
import { readManifest } from '../../session/manifest.js';
import { readRecord } from '../../session/registry.js';
import type { RegistryRecord } from '../../session/registry-record.js';
import { type SessionPaths, sessionPaths } from '../../session/session-paths.js';
import { StoreUnavailable } from '../../storage/storage-fault.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import { type AgentDirectory, spokenName } from '../directory/agent-directory.js';
import { removeAuthority, removeRegistration } from '../directory/agent-records.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { ServerPaths } from '../directory/server-paths.js';
import { RecordsUnreadable } from '../sessions/session-records.js';
import type { OnePerAgent, TurnHolder } from './handing-over.js';

/** The time in which a turn may end after its interrupt, before everything around it is ended. */
const turnMilliseconds = 5000;

/** The result of stopping an agent. */
export interface Stopped extends StopResult {
  /** The turn that ran; null where none did. */
  turnId: string | null;
}

/**
 * The error of an agent that could not be stopped, and is still listed. The message is a sentence that says what is left
 * of it.
 */
export class StopFault extends Error {
  override readonly name = 'StopFault';
}

export interface StopParts {
  host: AgentHost;
  paths: ServerPaths;
  directory: AgentDirectory;
  holder: TurnHolder;
  alone: OnePerAgent;
  /** Called with faults that are not shown to callers. */
  report(fault: string): void;
}

/**
 * The final stop of agents, which ends in this order: the turn, the gateway, what runs in the terminal, the registry
 * record, and what the server keeps of the agent. The session root stays, with manifest, gateway folder and the files of
 * its turns.
 */
export class AgentStops {
  readonly #parts: StopParts;

  constructor(parts: StopParts) {
    this.#parts = parts;
  }

  /**
   * Stops an agent.
   * @returns null when another caller has stopped it meanwhile.
   * @throws {StopFault}
   */
  stop(agent: ManagedAgent): Promise<Stopped | null> {
    const { alone, directory } = this.#parts;
    return alone.run(agent, async () => {
      const listed = directory
        .list()
        .some((one) => one.transport === agent.transport && one.trackedAgentId === agent.trackedAgentId);
      return listed ? this.#stop(agent) : null;
    });
  }

  async #stop(agent: ManagedAgent): Promise<Stopped> {
    const { host, holder, directory } = this.#parts;
    try {
      const stoppable = toStoppable(agent, host);
      const ended = await this.#endWork(agent, stoppable.paths);
      await holder.forget(agent);
      const { leftUndone, ...stopped } = await endAgent(stoppable, host);
      this.#forget(agent);
      await directory.changed();
      // Another call may have opened the session again until now.
      await holder.forget(agent);
      return {
        ...stopped,
        turnId: ended.turnId,
        gatewayStopped: ended.gatewayStopped || stopped.gatewayStopped,
        leftUndone: [...ended.leftUndone, ...leftUndone],
      };
    } catch (error) {
      const known =
        error instanceof UnusableFile || error instanceof LaunchFault || error instanceof TmuxFault;
      if (!known) throw error;
      this.#parts.report(error.message);
      throw new StopFault(sentenceOf(error, agent), { cause: error });
    }
  }

  /**
   * Ends the turn, then the gateway. A live gateway interrupts its turn; what is left of a turn by a gateway that had to
   * be killed is ended by this server.
   */
  async #endWork(
    agent: ManagedAgent,
    paths: SessionPaths | null,
  ): Promise<Pick<Stopped, 'turnId' | 'gatewayStopped' | 'leftUndone'>> {
    const nothing = { turnId: null, gatewayStopped: false, leftUndone: [] };
    if (agent.transport === 'tui' || !paths || !existsSync(paths.root)) return nothing;
    const probe = await probeGateway(paths);
    const turnId = probe.state === 'serving' ? await endTurnByGateway(urlOf(probe.instance)) : null;
    const { stopped: gatewayStopped } = await detachGateway(paths, this.#parts.host);
    try {
      const left = await this.#parts.holder.endTurn(agent, turnMilliseconds);
      return { turnId: turnId ?? left, gatewayStopped, leftUndone: [] };
    } catch (error) {
      if (!isUnknown(error)) throw error;
      this.#parts.report(error.message);
      const unknown = 'It is not known whether one of its turns still ran: its records cannot be read.';
      return { turnId, gatewayStopped, leftUndone: [unknown] };
    }
  }

  /**
   * Removes what the server keeps of an agent, with one removal at the end: a stop that was cut off is finished by the
   * next one.
   */
  #forget({ transport, trackedAgentId }: ManagedAgent): void {
    const { paths } = this.#parts;
    if (transport === 'headless') removeAuthority(paths.managedAgents, trackedAgentId);
    else removeRegistration(paths.sessions, trackedAgentId);
  }
}

/** Decides whether an error means that it is unknown whether a turn runs. */
const isUnknown = (error: unknown): error is Error =>
  error instanceof UnusableFile || error instanceof StoreUnavailable || error instanceof RecordsUnreadable;

/** @returns the turn that was running. A turn that does not end in time is ended by the gateway's own stop. */
async function endTurnByGateway(baseUrl: string): Promise<string | null> {
  const client = createGatewayClient({ baseUrl, timeoutMs: turnMilliseconds + 1000 });
  let turnId: string | null = null;
  try {
    turnId = (await client.getHeadlessState()).active_turn_id;
    if (turnId === null) return null;
    await client.submitRequest({ body: { kind: 'interrupt', payload: {} } });
    await client.getTurn({ path: { turn_id: turnId }, query: { wait_seconds: turnMilliseconds / 1000 } });
  } catch (error) {
    if (!isGatewayError(error)) throw error;
  }
  return turnId;
}

/** Decides whether the unusable file is the one that names the gateway; it is read before anything is ended. */
const namesGateway = ({ path }: UnusableFile, { sessionRoot }: ManagedAgent): boolean =>
  sessionRoot !== null && path === sessionPaths(sessionRoot).currentInstance;

/** Returns the sentence for callers, without the paths that the reported message has. */
function sentenceOf(error: Error, agent: ManagedAgent): string {
  const name = spokenName(agent);
  if (error instanceof UnusableFile && namesGateway(error, agent))
    return `Agent ${name} could not be stopped: the file that names the process of its gateway cannot be used (${error.reason}). Nothing was changed.`;
  if (error instanceof UnusableFile)
    return `Agent ${name} was stopped only in part: one of its files cannot be used (${error.reason}). Stop it again once the file is fixed.`;
  if (error instanceof TmuxFault)
    return `Agent ${name} could not be stopped: tmux cannot be run on this host now. Stop it again once it can.`;
  return `Agent ${name} could not be stopped: ${error.message}`;
}

/** Collects what has to be ended of an agent, from directory, registry and manifest. */
export function toStoppable(
  agent: ManagedAgent,
  { registryRoot }: Pick<AgentHost, 'registryRoot'>,
): AgentToStop {
  const record = ownRecord(agent, registryRoot);
  const registration = record
    ? { agentId: record.agent_id, generationId: record.generation_id }
    : registrationIn(agent.manifestPath);
  return {
    name: agent.agentName ?? agent.trackedAgentId,
    paths: agent.sessionRoot === null ? null : sessionPaths(agent.sessionRoot),
    tmuxSession: agent.tmuxSessionName,
    registration,
  };
}

/** Returns the registry record of this agent; null when it is that of another one, which has its id by now. */
function ownRecord(
  { agentId, manifestPath, tmuxSessionName }: ManagedAgent,
  registryRoot: string,
): RegistryRecord | null {
  if (agentId === null) return null;
  const record = unlessUnusable(() => readRecord(registryRoot, agentId));
  const same =
    record?.runtime.manifest_path === manifestPath && record?.terminal.session_name === tmuxSessionName;
  return same ? record : null;
}

function registrationIn(manifestPath: string | null): AgentToStop['registration'] {
  const manifest = manifestPath === null ? null : unlessUnusable(() => readManifest(manifestPath));
  const { agent_id: agentId, registry_generation_id: generationId } = manifest ?? {};
  return agentId && generationId ? { agentId, generationId } : null;
}
