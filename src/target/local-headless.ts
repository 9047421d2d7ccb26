import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import type { Clock } from '../foundation/clock.js';
import { systemFaultOf } from '../foundation/system-fault.js';
import { UnusableFile } from '../session/file-schema.js';
import { type LaunchSettings, readLaunchSettings } from '../session/launch-environment.js';
import {
  attachIdentityOf,
  lacksHeadlessSection,
  type Manifest,
  patchTurnPins,
  readManifest,
  type TurnPins,
  turnHostOf,
  turnTimeLimitOf,
} from '../session/manifest.js';
import type { SessionPaths } from '../session/session-paths.js';
import { turnArtifacts } from '../session/turn-artifacts.js';
import { hasSession } from '../terminal/tmux.js';
import type { ModelSelection, SessionSelection, ToolAdapter } from '../tools/tool-adapter.js';
import { startInProcess } from '../turn/process-host.js';
import type { RunningTurn, StopOutcome, TurnObserver } from '../turn/running-turn.js';
import type { TurnJob } from '../turn/supervisor.js';
import { startInTmux } from '../turn/tmux-host.js';
import { turnEnvironment } from '../turn/turn-environment.js';
import type {
  AgentTarget,
  Inspection,
  PromptOptions,
  Refusal,
  ResolvedTurn,
  TurnAssignment,
} from './agent-target.js';
import { type ChatDefaults, resolveSession } from './resolve-session.js';
import { notConnected, sessionTrouble } from './session-trouble.js';

/** Runs turns of a headless CLI on this machine (gateway §2.7, "local tmux", and decision 46 without tmux). */
export class LocalHeadlessTarget implements AgentTarget {
  readonly surface = 'headless';
  readonly remote = false;
  readonly #paths: SessionPaths;
  readonly #adapter: ToolAdapter;
  readonly #clock: Clock;
  readonly #environment: NodeJS.ProcessEnv;
  /** What the last turns left to be pinned while the manifest could not be written. */
  #owed: TurnPins | null = null;

  /** @param environment only its basics (PATH, HOME and the like) are used, and only where the launch names none. */
  constructor(paths: SessionPaths, adapter: ToolAdapter, clock: Clock, environment: NodeJS.ProcessEnv) {
    this.#paths = paths;
    this.#adapter = adapter;
    this.#clock = clock;
    this.#environment = environment;
  }

  async inspect(): Promise<Inspection> {
    let manifest: Manifest;
    let settings: LaunchSettings;
    try {
      manifest = readManifest(this.#paths.manifest);
      settings = readLaunchSettings(manifest, this.#environment);
    } catch (error) {
      return notConnected(sessionTrouble(error));
    }
    const missing = missingPart(manifest, settings);
    if (missing) return notConnected(missing);
    if (turnHostOf(manifest) === 'tmux' && !(await hasSession(manifest.tmux_session_name ?? ''))) {
      return notConnected(`The tmux session ${manifest.tmux_session_name} is not there.`);
    }
    return {
      connected: true,
      instanceId: instanceIdOf(manifest, this.#paths),
      surface: 'ready',
      acceptsPrompts: true,
      detail: null,
    };
  }

  resolve(options: PromptOptions, context: { override: { mode: 'new' } | null }): ResolvedTurn | Refusal {
    try {
      this.#payOwed();
      const manifest = readManifest(this.#paths.manifest);
      if (lacksHeadlessSection(manifest))
        return { code: 'dispatch_failed', detail: 'The session manifest has no headless section.' };
      const session = resolveSession(options.chatSession, chatDefaultsOf(manifest), context.override);
      if ('code' in session) return session;
      const settings = readLaunchSettings(manifest, this.#environment);
      const model = mergeModel(options.execution, settings.model);
      return (
        this.#checkLevel(model, settings.environment) ?? {
          options,
          session,
          model,
          timeLimitSeconds: turnTimeLimitOf(manifest),
        }
      );
    } catch (error) {
      if (error instanceof UnusableFile) return { code: 'unavailable', detail: sessionTrouble(error) };
      const obstacle = systemFaultOf(error, '');
      if (obstacle !== null)
        return { code: 'unavailable', detail: 'The session manifest cannot be written now.' };
      throw error;
    }
  }

  check({ execution }: PromptOptions): Refusal | null {
    if (!execution) return null;
    return this.#checkLevel(
      {
        name: execution.model.name?.trim() ?? null,
        reasoningLevel: execution.model.reasoning?.level ?? null,
      },
      {},
    );
  }

  start(assignment: TurnAssignment, observer: TurnObserver): RunningTurn {
    const manifest = readManifest(this.#paths.manifest);
    const job = this.#jobOf(manifest, assignment);
    return turnHostOf(manifest) === 'tmux'
      ? startInTmux(job, manifest.tmux_session_name ?? '', this.#paths.run, observer, this.#clock)
      : startInProcess(job, observer, this.#clock);
  }

  /** Without a turn nothing of it runs. */
  async interrupt(): Promise<StopOutcome> {
    return { outcome: 'no_op' };
  }

  settle(turn: { sessionId: string | null; sessionLost: boolean; completed: boolean }): void {
    const { headless } = readManifest(this.#paths.manifest);
    const before = this.#owed ?? {
      sessionId: headless?.session_id ?? null,
      turnIndex: headless?.turn_index ?? 0,
    };
    const pins = {
      sessionId: turn.sessionLost ? null : (turn.sessionId ?? before.sessionId),
      turnIndex: before.turnIndex + (turn.completed ? 1 : 0),
    };
    if (pins.sessionId === (headless?.session_id ?? null) && pins.turnIndex === headless?.turn_index) return;
    this.#owed = pins;
    this.#payOwed();
  }

  /** A full disk must not cost the conversation: what could not be pinned is pinned before the next turn. */
  #payOwed(): void {
    if (!this.#owed) return;
    patchTurnPins(this.#paths.manifest, this.#owed);
    this.#owed = null;
  }

  #checkLevel(model: ModelSelection, environment: Readonly<Record<string, string>>): Refusal | null {
    if (model.reasoningLevel === null) return null;
    const choice = this.#adapter.reasoning(model.reasoningLevel, model.name);
    if (!choice.ok) return { code: 'invalid_execution', detail: choice.reason };
    const obstacle = this.#adapter.reasoningObstacle({ folder: this.#paths.root, environment });
    return obstacle === null ? null : { code: 'invalid_execution', detail: obstacle };
  }

  #jobOf(manifest: Manifest, assignment: TurnAssignment): TurnJob {
    const settings = readLaunchSettings(manifest, this.#environment);
    const artifacts = turnArtifacts(this.#paths, assignment.turnId);
    const command = this.#adapter.command({
      launchArgs: manifest.launch_plan.args,
      prompt: assignment.prompt,
      role: settings.role,
      session: assignment.session,
      model: assignment.model,
      turnDirectory: artifacts.directory,
    });
    const home = manifest.launch_plan.home_selector;
    return {
      turnId: assignment.turnId,
      turnIndex: manifest.headless?.turn_index ?? 0,
      tool: this.#adapter.name,
      executable: manifest.launch_plan.executable,
      args: command.args,
      workingDirectory: manifest.working_directory,
      environment: turnEnvironment(settings.environment, command.env, {
        variable: home.env_var,
        path: home.home_path,
      }),
      stdin: command.stdin,
      files: command.files,
      artifacts,
    };
  }
}

/** The one-line reason why no turn can start, or null. */
function missingPart(manifest: Manifest, settings: LaunchSettings): string | null {
  const directory = manifest.working_directory;
  if (!existsSync(directory) || !statSync(directory).isDirectory())
    return 'The working directory of the agent is not there.';
  const program = manifest.launch_plan.executable;
  return isExecutable(program, settings.environment.PATH ?? '', directory)
    ? null
    : `The program ${basename(program)} is not there.`;
}

function isExecutable(program: string, path: string, directory: string): boolean {
  const candidates = isAbsolute(program)
    ? [program]
    : program.includes('/')
      ? [join(directory, program)]
      : path.split(delimiter).map((folder) => join(folder, program));
  return candidates.some((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Without tmux an agent is a new one with each launch; with tmux its session keeps its identity (decision 46). */
function instanceIdOf(manifest: Manifest, paths: SessionPaths): string {
  const identity = attachIdentityOf(manifest, paths.root);
  return turnHostOf(manifest) === 'process' ? (manifest.registry_generation_id ?? identity) : identity;
}

export function chatDefaultsOf(manifest: Manifest): ChatDefaults {
  const headless = manifest.headless;
  const startup: SessionSelection =
    headless?.resume_selection_kind === 'last'
      ? { mode: 'tool_last_or_new' }
      : headless?.resume_selection_kind === 'exact' && headless.resume_selection_value
        ? { mode: 'exact', id: headless.resume_selection_value }
        : { mode: 'new' };
  return { pinned: headless?.session_id ?? null, startup };
}

/** The request's override over the launch's model, sub-field by sub-field (gateway §5.5). */
export function mergeModel(execution: PromptOptions['execution'], launch: ModelSelection): ModelSelection {
  return {
    name: execution?.model.name?.trim() || launch.name,
    reasoningLevel: execution?.model.reasoning?.level ?? launch.reasoningLevel,
  };
}
