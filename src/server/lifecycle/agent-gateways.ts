import { existsSync } from 'node:fs';
import { findAgentTmux } from '../../agent/local/agent-place.js';
import { UnusableFile } from '../../foundation/faults.js';
import { saysAddressTaken } from '../../foundation/listening.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { attachGateway, detachGateway, forgetDeadGateway } from '../../launch/gateway-attachment.js';
import { LaunchFault } from '../../launch/launch-fault.js';
import { gatewayProcess, probeGateway } from '../../launch/live-gateway.js';
import type { CurrentInstance, ExecutionMode } from '../../session/current-instance.js';
import {
  changeDesiredConfig,
  type DesiredConfig,
  desiredConfigFile,
} from '../../session/gateway-start-files.js';
import { readLaunchedManifest } from '../../session/manifest.js';
import { turnHostOf } from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { type SessionPaths, sessionPaths } from '../../session/session-paths.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import {
  type GivenTimings,
  type TimingName,
  trackerTimings,
} from '../../terminal/tracker/tracker-timings.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { OnePerAgent, TurnHolder } from './handing-over.js';

export interface AttachSettings {
  /** Null for the mode in which it ran before; else a window, where the agent has a tmux session. */
  mode: ExecutionMode | null;
  timings: RequestedTimings | null;
}

/** A gateway that serves, and whether this call started it. */
export interface AttachedGateway {
  instance: CurrentInstance;
  started: boolean;
}

export interface AgentGatewaysParts {
  host: AgentHost;
  holder: TurnHolder;
  alone: OnePerAgent;
  /** Called with faults that are not shown to callers. */
  report(fault: string): void;
}

/**
 * The attaching and detaching of agents' gateways. A session has at most one gateway: of attaches at the same time the
 * first starts it, and the others find it serving.
 */
export class AgentGateways {
  readonly #parts: AgentGatewaysParts;

  constructor(parts: AgentGatewaysParts) {
    this.#parts = parts;
  }

  /**
   * Attaches a gateway. One that serves already is left unchanged, whatever settings are requested.
   * @throws {AttachFault} and nothing was left running.
   */
  attach(agent: ManagedAgent, settings: AttachSettings): Promise<AttachedGateway> {
    return this.#parts.alone.run(agent, async () => this.#attach(agent, pathsOf(agent), settings));
  }

  /**
   * Ends the gateway; the running turn goes on under this server. Without a gateway nothing changes.
   * @returns whether one ran.
   * @throws {AttachFault}
   */
  detach(agent: ManagedAgent): Promise<boolean> {
    return this.#parts.alone.run(agent, async () => this.#detach(agent, pathsOf(agent)));
  }

  async #attach(
    agent: ManagedAgent,
    paths: SessionPaths,
    settings: AttachSettings,
  ): Promise<AttachedGateway> {
    const { host } = this.#parts;
    const probe = await probeGateway(paths);
    if (probe.state === 'serving' || probe.state === 'refusing')
      return { instance: probe.instance, started: false };
    // The silent gateway holds what a second one would need, and only a detach ends it.
    if (probe.state === 'silent' && gatewayProcess(probe.instance.pid, paths))
      throw new AttachFault('conflict', silent);
    try {
      await forgetDeadGateway(paths, probe, host);
      const manifest = await this.#resumable(paths);
      const before = desiredConfigFile.read(paths.desiredConfig);
      const mode = settings.mode ?? before?.desired_execution_mode ?? modeOf(manifest);
      const flags = settings.timings === null ? [] : timingFlags(settings.timings);
      const { instance, started } = await attachGateway(
        paths,
        { host: null, port: null, mode, diagnosticLog: null, keeping: {}, flags },
        host,
      );
      if (settings.timings !== null && started)
        changeDesiredConfig(paths.desiredConfig, {
          desired_tui_tracking_timings: timingsAfter(
            settings.timings,
            before?.desired_tui_tracking_timings ?? {},
          ),
        });
      return { instance, started };
    } catch (error) {
      // Another program, which does not know of this server, may have been faster.
      const other = await probeGateway(paths);
      if (other.state === 'serving') return { instance: other.instance, started: false };
      // The turn that this server left for the gateway is its own again.
      await this.#parts.holder.settle(agent).catch((fault: Error) => this.#parts.report(fault.message));
      throw this.#faultOf(error);
    }
  }

  /** @throws {AttachFault} when no program could run turns of that session. */
  async #resumable(paths: SessionPaths): Promise<Manifest> {
    const manifest = readLaunchedManifest(paths.manifest);
    const { agent_def_dir: definition } = manifest.runtime;
    if (definition && !existsSync(definition))
      throw new AttachFault('unavailable', 'The folder of the agent definition does not exist.');
    const session = manifest.tmux_session_name ?? '';
    if (turnHostOf(manifest) === 'tmux' && !(await findAgentTmux(manifest, this.#parts.host.tmux)))
      throw new AttachFault('unavailable', `The tmux session ${session} does not exist.`);
    return manifest;
  }

  async #detach(agent: ManagedAgent, paths: SessionPaths): Promise<boolean> {
    const { host, holder } = this.#parts;
    try {
      const { stopped, leftUndone } = await holder.takeOver(agent, () => detachGateway(paths, host));
      for (const left of leftUndone) this.#parts.report(left);
      return stopped;
    } catch (error) {
      throw this.#faultOf(error);
    }
  }

  #faultOf(error: unknown): AttachFault {
    if (error instanceof AttachFault) return error;
    const known = error instanceof UnusableFile || error instanceof LaunchFault || error instanceof TmuxFault;
    if (!known) throw error;
    this.#parts.report(error.message);
    return new AttachFault(isConflict(error.message) ? 'conflict' : 'unavailable', sentenceOf(error));
  }
}

/** @throws {AttachFault} */
function pathsOf({ sessionRoot }: ManagedAgent): SessionPaths {
  if (sessionRoot !== null && existsSync(sessionRoot)) return sessionPaths(sessionRoot);
  throw sessionRoot === null
    ? new AttachFault('no_session_root', 'The agent has no session root, so it can have no gateway.')
    : new AttachFault('unavailable', 'The session root of the agent does not exist.');
}

const modeOf = (manifest: Manifest): ExecutionMode =>
  turnHostOf(manifest) === 'tmux' ? 'tmux_auxiliary_window' : 'detached_process';

const silent =
  'The gateway of this session runs but does not answer; detach it before you attach another one.';

/** Returns the sentence for callers, without the paths that the reported message has. */
function sentenceOf(error: Error): string {
  if (error instanceof UnusableFile) return `A file of the session cannot be used: ${error.reason}.`;
  if (error instanceof TmuxFault) return 'tmux cannot be run on this host now.';
  if (saysAddressTaken(error.message)) return 'The address of the gateway is already in use.';
  if (isConflict(error.message))
    return 'Another program runs the turns of this session and did not hand them over.';
  return 'The gateway did not come up; its log in the session root says why.';
}

/** A gateway could not be attached or detached; the message is a sentence for callers. */
export class AttachFault extends Error {
  override readonly name = 'AttachFault';
  readonly reason: AttachReason;

  constructor(reason: AttachReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** `no_session_root`: the agent can have no gateway at all. `conflict`: another process holds the address or the session. */
type AttachReason = 'no_session_root' | 'conflict' | 'unavailable';

/** Decides by its message whether a gateway could not start because another process holds what it needs. */
const isConflict = (said: string): boolean =>
  saysAddressTaken(said) || /reconciliation|another gateway serves|runs the turns/i.test(said);

/** In seconds; null and undefined leave a timing unchanged. */
type RequestedTimings = Readonly<Partial<Record<TimingName, number | null | undefined>>>;

type StoredTimings = NonNullable<DesiredConfig['desired_tui_tracking_timings']>;

/** Returns the flags of `houmao-gateway` for these timings. Pure. */
export const timingFlags = (requested: RequestedTimings): string[] =>
  Object.entries(requested).flatMap(([name, seconds]) =>
    seconds === null || seconds === undefined ? [] : [`--tui-${name.replaceAll('_', '-')}`, String(seconds)],
  );

/** Returns the timings for later starts: the requested ones, else the stored ones, else the defaults. Pure. */
export function timingsAfter(requested: RequestedTimings, stored: GivenTimings): StoredTimings {
  const timings = trackerTimings(requested, stored);
  return {
    watch_poll_interval_seconds: timings.watchPollIntervalSeconds,
    stability_threshold_seconds: timings.stabilityThresholdSeconds,
    completion_stability_seconds: timings.completionStabilitySeconds,
    unknown_to_stalled_timeout_seconds: timings.unknownToStalledTimeoutSeconds,
    stale_active_recovery_seconds: timings.staleActiveRecoverySeconds,
    final_stable_active_recovery_seconds: timings.finalStableActiveRecoverySeconds,
  };
}
