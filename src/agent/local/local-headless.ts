import { basename } from 'node:path';
import type { Clock } from '../../foundation/clock.js';
import { UnusableFile } from '../../foundation/faults.js';
import { systemFaultOf } from '../../foundation/system-fault.js';
import { secretsOf } from '../../foundation/text.js';
import { type FollowedTurn, followTurn } from '../../run/follow-turn.js';
import type { RunningTurn, StopOutcome, TurnObserver } from '../../run/running-turn.js';
import { processHost, spawnTurn, type TurnHost, tmuxHost } from '../../run/turn-host.js';
import { jobFileOf, type TurnJob } from '../../run/turn-job.js';
import { type LaunchSettings, LaunchSettingsReader } from '../../session/launch-settings.js';
import {
  manifestReader,
  type PinChange,
  patchTmuxPlace,
  patchTurnPins,
  pinsAfter,
} from '../../session/manifest.js';
import {
  attachIdentityOf,
  headlessDisplayOf,
  lacksHeadlessSection,
  recordedPane,
  turnHostOf,
  turnTimeLimitOf,
} from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { type SessionPaths, turnArtifacts } from '../../session/session-paths.js';
import type { Tmux } from '../../terminal/tmux.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import type { ModelSelection, ToolAdapter } from '../../tools/adapter/tool-adapter.js';
import {
  type AgentInspection,
  type AgentTarget,
  notConnected,
  type PromptRefusal,
  type PromptSettings,
  type ResolvedTurn,
  sessionTrouble,
  type TurnAssignment,
  type TurnToAdopt,
} from '../target/agent-target.js';
import { chatDefaultsOf, resolveSession } from '../target/chat-session.js';
import {
  agentEnvironment,
  findAgentTmux,
  headlessReadiness,
  noHeadlessSection,
  recordedTmux,
} from './agent-place.js';

/** The resources of the program that drives an agent. */
export interface AgentResources {
  clock: Clock;
  /**
   * Its PATH has the Node that turns start with. Only its basics (PATH, HOME and the like) reach a turn, and only if the launch
   * does not set them.
   */
  environment: NodeJS.ProcessEnv;
  tmux: Tmux;
}

/** Runs turns of a headless CLI on this machine, in tmux or without (docs/decisions.md#with-and-without-tmux). */
export class LocalHeadlessTarget implements AgentTarget {
  readonly capabilities = { prompts: 'available', keys: 'none', screen: 'none' } as const;
  readonly remote = false;
  readonly interactive = false;
  readonly terminal = null;
  readonly #paths: SessionPaths;
  readonly #adapter: ToolAdapter;
  readonly #clock: Clock;
  readonly #settings: LaunchSettingsReader;
  readonly #manifest: () => Manifest;
  readonly #usualTmux: Tmux;
  readonly #environment: NodeJS.ProcessEnv;
  /** The server on which the last inspection found the session. */
  #its: Tmux | null = null;
  /** The changes that the last turns left for the manifest while it could not be read or written. */
  #owed: PinChange | null = null;

  constructor(paths: SessionPaths, adapter: ToolAdapter, { clock, environment, tmux }: AgentResources) {
    this.#paths = paths;
    this.#adapter = adapter;
    this.#clock = clock;
    this.#settings = new LaunchSettingsReader(environment);
    this.#manifest = manifestReader(paths.manifest);
    this.#usualTmux = tmux;
    this.#environment = environment;
  }

  async inspect(): Promise<AgentInspection> {
    const { manifest, obstacle } = headlessReadiness(this.#manifest, this.#settings);
    if (obstacle !== null) return notConnected(obstacle);
    const lost = turnHostOf(manifest) === 'tmux' ? await this.#lostSession(manifest) : null;
    if (lost) return notConnected(lost);
    return {
      connected: true,
      instanceId: instanceIdOf(manifest, this.#paths),
      surface: 'ready',
      reasons: [],
      acceptsPrompts: true,
      detail: null,
    };
  }

  resolve(
    options: PromptSettings,
    context: { override: { mode: 'new' } | null },
  ): ResolvedTurn | PromptRefusal {
    try {
      this.#payOwed();
      const manifest = this.#manifest();
      if (lacksHeadlessSection(manifest)) return { code: 'dispatch_failed', detail: noHeadlessSection };
      const session = resolveSession(options.chatSession, chatDefaultsOf(manifest), context.override);
      if ('code' in session) return session;
      const settings = this.#settings.read(manifest);
      const model = mergeModel(options.execution, settings.model);
      const refused = this.#checkLevel(model, settings.environment);
      if (refused) return refused;
      return {
        session,
        model,
        timeLimitSeconds: turnTimeLimitOf(manifest),
        start: (assignment, observer) =>
          this.#start(manifest, this.#jobOf(manifest, settings, { ...assignment, session, model }), observer),
      };
    } catch (error) {
      if (error instanceof UnusableFile) return { code: 'unavailable', detail: sessionTrouble(error) };
      const obstacle = systemFaultOf(error, '');
      if (obstacle !== null)
        return { code: 'unavailable', detail: 'The session manifest cannot be written now.' };
      throw error;
    }
  }

  check({ execution }: PromptSettings): PromptRefusal | null {
    if (!execution) return null;
    return this.#checkLevel(
      {
        name: execution.model.name?.trim() ?? null,
        reasoningLevel: execution.model.reasoning?.level ?? null,
      },
      {},
    );
  }

  adopt({ turnId, processes }: TurnToAdopt, observer: TurnObserver): RunningTurn {
    const manifest = this.#manifest();
    const turn = this.#followed(manifest, turnId, this.#secretsOf(manifest), processes);
    return this.#publish(manifest, followTurn(turn, null, observer, this.#clock));
  }

  #start(manifest: Manifest, job: TurnJob, observer: TurnObserver): RunningTurn {
    const turn = this.#followed(manifest, job.turnId, secretsOf(job.environment), []);
    const report = (fault: string): void => observer.report(`turn ${job.turnId}: ${fault}`);
    const spawned = spawnTurn(this.#hostOf(manifest), job, turn.jobFile, report);
    return this.#publish(manifest, followTurn(turn, spawned, observer, this.#clock));
  }

  #followed(
    manifest: Manifest,
    turnId: string,
    secrets: FollowedTurn['secrets'],
    processes: FollowedTurn['processes'],
  ): FollowedTurn {
    return {
      turnId,
      secrets,
      processes,
      adapter: this.#adapter,
      place: this.#hostOf(manifest).place,
      session: sessionOf(manifest, this.#paths),
      artifacts: turnArtifacts(this.#paths, turnId),
      jobFile: jobFileOf(this.#paths.run, turnId),
    };
  }

  #hostOf(manifest: Manifest): TurnHost {
    return turnHostOf(manifest) === 'tmux'
      ? tmuxHost({
          tmux: this.#tmuxOf(manifest),
          session: manifest.tmux_session_name ?? '',
          recorded: recordedPane(manifest),
          opened: (place) => patchTmuxPlace(this.#paths.manifest, place),
          environment: this.#environment,
        })
      : processHost(this.#environment);
  }

  /** Returns the secrets that the launch names now, in place of those at the start of the turn. Null if they cannot be read. */
  #secretsOf(manifest: Manifest): string[] | null {
    try {
      return secretsOf(this.#settings.read(manifest).environment);
    } catch {
      return null;
    }
  }

  /** Publishes the conversation to people and tools in the session; a closed session is ignored. */
  #publish(manifest: Manifest, turn: RunningTurn): RunningTurn {
    if (turnHostOf(manifest) === 'process') return turn;
    const ended = turn.ended.then(async (signs) => {
      if (signs?.sessionId)
        await this.#tmuxOf(manifest)
          .setEnvironment(manifest.tmux_session_name ?? '', { HOUMAO_RESUME_ID: signs.sessionId })
          .catch(() => undefined);
      return signs;
    });
    return { ...turn, ended };
  }

  /** Without a turn no program of the agent runs. */
  async interrupt(): Promise<StopOutcome> {
    return { outcome: 'no_op' };
  }

  settle(turn: { sessionId: string | null; sessionLost: boolean; completed: boolean }): void {
    const found = turn.sessionLost ? { id: null } : turn.sessionId === null ? null : { id: turn.sessionId };
    this.#owed = {
      conversation: found ?? this.#owed?.conversation ?? null,
      completedTurns: (this.#owed?.completedTurns ?? 0) + (turn.completed ? 1 : 0),
    };
    this.#payOwed();
  }

  #tmuxOf(manifest: Manifest): Tmux {
    return this.#its ?? recordedTmux(manifest, this.#usualTmux);
  }

  /** Returns why the tmux session cannot be used; null if it can. */
  async #lostSession(manifest: Manifest): Promise<string | null> {
    try {
      this.#its = await findAgentTmux(manifest, this.#usualTmux);
      return this.#its ? null : `The tmux session ${manifest.tmux_session_name} does not exist.`;
    } catch (error) {
      if (!(error instanceof TmuxFault)) throw error;
      return `The tmux session ${manifest.tmux_session_name} could not be looked up: ${error.message}.`;
    }
  }

  /**
   * Writes the pending changes to the manifest. Neither a full disk nor a temporarily unreadable manifest may lose the
   * conversation: a change that could not be written is written before the next turn.
   */
  #payOwed(): void {
    if (!this.#owed) return;
    const manifest = this.#manifest();
    if (lacksHeadlessSection(manifest)) return;
    const { headless } = manifest;
    const { sessionId, turnIndex } = pinsAfter(headless, this.#owed);
    if (sessionId !== (headless?.session_id ?? null) || turnIndex !== headless?.turn_index)
      patchTurnPins(this.#paths.manifest, this.#owed);
    this.#owed = null;
  }

  #checkLevel(model: ModelSelection, environment: Readonly<Record<string, string>>): PromptRefusal | null {
    if (model.reasoningLevel === null) return null;
    const choice = this.#adapter.reasoning(model.reasoningLevel, model.name);
    if (!choice.ok) return { code: 'invalid_execution', detail: choice.reason };
    const obstacle = this.#adapter.reasoningObstacle({ folder: this.#paths.root, environment });
    return obstacle === null ? null : { code: 'invalid_execution', detail: obstacle };
  }

  #jobOf(
    manifest: Manifest,
    settings: LaunchSettings,
    turn: TurnAssignment & Pick<ResolvedTurn, 'session' | 'model'>,
  ): TurnJob {
    const artifacts = turnArtifacts(this.#paths, turn.turnId);
    const command = this.#adapter.command({
      launchArgs: manifest.launch_plan.args,
      prompt: turn.prompt,
      role: settings.role,
      session: turn.session,
      model: turn.model,
      turnDirectory: artifacts.directory,
    });
    return {
      session: sessionOf(manifest, this.#paths),
      turnId: turn.turnId,
      turnIndex: manifest.headless?.turn_index ?? 0,
      tool: this.#adapter.name,
      executable: manifest.launch_plan.executable,
      args: command.args,
      workingDirectory: manifest.working_directory,
      environment: agentEnvironment(manifest, this.#paths, settings.environment, command.env),
      stdin: command.stdin,
      files: command.files,
      artifacts,
      display: headlessDisplayOf(manifest),
    };
  }
}

const sessionOf = (manifest: Manifest, { root }: SessionPaths): string =>
  attachIdentityOf(manifest, basename(root));

/** Returns the identity of the instance. Without tmux each launch is a new instance; with tmux the session keeps its identity. */
function instanceIdOf(manifest: Manifest, paths: SessionPaths): string {
  const identity = sessionOf(manifest, paths);
  return turnHostOf(manifest) === 'process' ? (manifest.registry_generation_id ?? identity) : identity;
}

/** Returns the launch's model, with the fields that the request overrides (docs/decisions.md#model-and-reasoning). */
export function mergeModel(execution: PromptSettings['execution'], launch: ModelSelection): ModelSelection {
  return {
    name: execution?.model.name?.trim() || launch.name,
    reasoningLevel: execution?.model.reasoning?.level ?? launch.reasoningLevel,
  };
}
