import { basename, join, relative } from 'node:path';
import { OneAtATime } from '../../foundation/concurrency.js';
import { UnusableFile } from '../../foundation/faults.js';
import { PartWriter } from '../../run/part-file.js';
import type { RunningTurn, StopOutcome, TurnObserver } from '../../run/running-turn.js';
import { LaunchSettingsReader } from '../../session/launch-settings.js';
import { manifestReader, patchRoleApplied, patchToolVersion } from '../../session/manifest.js';
import {
  attachIdentityOf,
  hasHooks,
  type RecordedPane,
  recordedPane,
  toolVersionOf,
  turnTimeLimitOf,
} from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { type SessionPaths, turnArtifacts } from '../../session/session-paths.js';
import { typeableText } from '../../terminal/terminal-input.js';
import type { TerminalSource } from '../../terminal/terminal-source.js';
import { OwnTerminalSource } from '../../terminal/terminal-sources.js';
import { TerminalWatch } from '../../terminal/terminal-watch.js';
import { TerminalTracker } from '../../terminal/tracker/terminal-tracker.js';
import type { TrackerTimings } from '../../terminal/tracker/tracker-timings.js';
import { askedVersion } from '../../tools/asked-version.js';
import { cautiousPauses } from '../../tools/screen/screen-profile.js';
import { rowsRead, toStyledRows } from '../../tools/screen/styled-rows.js';
import { screensOf, toolProcessNames } from '../../tools/terminal-registry.js';
import { knownTool, toolAdapter } from '../../tools/tool-registry.js';
import { agentTmux, recordedTmux } from '../local/agent-place.js';
import type { AgentResources } from '../local/local-headless.js';
import {
  type AgentInspection,
  type AgentTarget,
  notConnected,
  type PromptChannel,
  type PromptRefusal,
  type PromptSettings,
  type ResolvedTurn,
  sessionTrouble,
  type TurnToAdopt,
} from '../target/agent-target.js';
import type { AgentTerminal } from '../target/agent-terminal.js';
import { resetPrompt, unfitForTerminal } from '../target/chat-session.js';
import { AgentReport, noteConversation } from './agent-report.js';
import { interruptTerminal } from './interrupt-terminal.js';
import { PartLog } from './part-log.js';
import { promptReadiness } from './prompt-readiness.js';
import { usualTimeouts } from './submission.js';
import type { TerminalParts } from './terminal-check.js';
import { startTerminalTurn } from './terminal-turn.js';
import { RestartedTool, WatchedTerminal } from './watched-terminal.js';

/** The time limit for the version: long, because no caller waits for it. */
const versionMilliseconds = 60_000;

/**
 * An agent that runs in a terminal of this machine: its screen and its own reports are followed, and prompts and keys are typed
 * into it (docs/decisions.md#terminals-of-this-machine).
 */
export class LocalTerminalTarget implements AgentTarget {
  readonly capabilities = { prompts: 'available', keys: 'available', screen: 'available' } as const;
  readonly remote = false;
  readonly interactive = true;
  readonly terminal: AgentTerminal;
  readonly #paths: SessionPaths;
  readonly #watch: TerminalWatch;
  readonly #report: AgentReport;
  readonly #parts: TerminalParts;
  readonly #manifest: () => Manifest;
  readonly #settings: LaunchSettingsReader;
  #pane: RecordedPane | null;

  constructor(
    manifest: Manifest,
    paths: SessionPaths,
    surroundings: AgentResources,
    { timings, changed, report, limits }: TerminalOptions,
  ) {
    const { clock, tmux, environment } = surroundings;
    this.#settings = new LaunchSettingsReader(environment);
    this.#paths = paths;
    this.#manifest = manifestReader(paths.manifest);
    this.#pane = recordedPane(manifest);
    const tmuxSession = manifest.tmux_session_name ?? manifest.tmux?.session_name ?? '';
    const screens = screensOf(manifest.tool);
    const version = toolVersionOf(manifest);
    const tool = knownTool(manifest.tool);
    const restarted = new RestartedTool(
      version,
      () => this.#askVersion(),
      (now) => this.#useVersion(now, report),
    );
    const hooks = hasHooks(manifest)
      ? { path: paths.hookRows, shown: relative(paths.root, paths.hookRows) }
      : null;
    this.#report = new AgentReport({
      tool,
      hooks,
      clock,
      report,
      onReport: () => this.#heard(changed),
      recheckMilliseconds: limits?.recheckMilliseconds ?? null,
    });
    this.#report.listen(null, noteConversation(paths.manifest, this.#manifest, report));
    this.#watch = new TerminalWatch({
      session: tmuxSession,
      recorded: () => this.#recordedPane(),
      source:
        limits?.source ??
        new OwnTerminalSource(() => agentTmux(manifest, tmux), {
          pollSeconds: timings.watchPollIntervalSeconds,
          clock,
        }),
      tracker: new TerminalTracker({
        tool: manifest.tool,
        screens,
        version,
        timings,
        clock,
        mostSnapshots: limits?.mostSnapshots ?? null,
        rowsOf: (text) => toStyledRows(text, rowsRead),
      }),
      toolNames: toolProcessNames(manifest.tool, manifest.launch_plan.executable),
      heard: (data) => this.#report.wrote(data),
      saw: (process, title) => {
        this.#report.saw(process, title);
        void restarted.saw(process);
      },
      clock,
      changed,
      report,
    });
    this.#parts = {
      watch: this.#watch,
      report: this.#report,
      tool,
      clock,
      patience: usualTimeouts,
      keyPauses: screens?.keyPauses ?? cautiousPauses,
      typing: new OneAtATime(),
      folder: join(paths.run, 'paste'),
    };
    this.terminal = new WatchedTerminal(
      {
        sessionId: manifest.runtime.session_id ?? attachIdentityOf(manifest, basename(paths.root)),
        tool: manifest.tool,
        tmuxSession,
        attachCommand: recordedTmux(manifest, tmux).attachCommand(tmuxSession),
      },
      this.#parts,
      restarted,
    );
  }

  /** Returns the recorded pane; while the manifest cannot be read, the earlier one. */
  #recordedPane(): RecordedPane | null {
    try {
      this.#pane = recordedPane(this.#manifest());
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
    }
    return this.#pane;
  }

  async #askVersion(): Promise<string | null> {
    const manifest = this.#manifest();
    const { executable } = manifest.launch_plan;
    return askedVersion(executable, this.#settings.read(manifest).environment, versionMilliseconds);
  }

  #useVersion(version: string, report: (fault: string) => void): void {
    this.#watch.tracker.useVersion(version);
    try {
      patchToolVersion(this.#paths.manifest, version);
    } catch (error) {
      report(`the tool is now ${version}, which could not be recorded: ${(error as Error).message}`);
    }
  }

  #heard(changed: () => void): void {
    this.#watch.stir();
    changed();
  }

  async inspect(): Promise<AgentInspection> {
    let manifest: Manifest;
    try {
      manifest = this.#manifest();
    } catch (error) {
      return notConnected(sessionTrouble(error));
    }
    const state = await this.#watch.observe();
    const { diagnostics } = state;
    if (diagnostics.transport !== 'tmux_up')
      return notConnected(
        diagnostics.probeError?.message ??
          this.#watch.lost ??
          `The tmux session ${this.terminal.names.tmuxSession} is gone.`,
      );
    return {
      connected: true,
      instanceId: manifest.runtime.session_id ?? attachIdentityOf(manifest, basename(this.#paths.root)),
      ...promptReadiness(state, this.#report.reportedState, this.#parts.clock.monotonic()),
      acceptsPrompts: true,
      detail: null,
    };
  }

  resolve({ chatSession }: PromptSettings, { forced }: { forced: boolean }): ResolvedTurn | PromptRefusal {
    try {
      const manifest = this.#manifest();
      const afresh = chatSession?.mode === 'new';
      const reset = afresh ? resetPrompt(manifest.tool) : null;
      const opening = this.#openingOf(manifest, afresh);
      return {
        session: afresh ? { mode: 'new' } : { mode: 'tool_last_or_new' },
        model: { name: null, reasoningLevel: null },
        timeLimitSeconds: turnTimeLimitOf(manifest),
        start: ({ turnId, prompt: asked }, observer) => {
          const prompt = opening === null ? asked : opening + asked;
          const order = { kind: 'type', prompt, forced, reset } as const;
          const opens = opening === null ? observer : this.#opens(observer);
          return startTerminalTurn(this.#parts, order, opens, this.#logOf(turnId, observer));
        },
      };
    } catch (error) {
      if (error instanceof UnusableFile) return { code: 'unavailable', detail: sessionTrouble(error) };
      throw error;
    }
  }

  /**
   * Returns the text before the first prompt of a conversation; null if the conversation has it already, or the tool takes none.
   */
  #openingOf(manifest: Manifest, afresh: boolean): string | null {
    const adapter = this.#parts.tool && toolAdapter(this.#parts.tool);
    const opened = !afresh && manifest.interactive?.role_bootstrap_applied !== false;
    if (opened || adapter?.roleInjectionMethod !== 'bootstrap_message') return null;
    return adapter.opening(this.#settings.read(manifest).role);
  }

  /** Wraps the observer: it records that the conversation has its role. If that fails, the next prompt repeats the role. */
  #opens(observer: TurnObserver): TurnObserver {
    return {
      spawned: (process) => observer.spawned(process),
      handedOver: (evidence) => observer.handedOver(evidence),
      pasting: (paste) => observer.pasting(paste),
      report: (detail) => observer.report(detail),
      confirmed: (evidence) => {
        observer.confirmed(evidence);
        try {
          patchRoleApplied(this.#paths.manifest);
        } catch (error) {
          observer.report(`the next prompt repeats the role: ${(error as Error).message}`);
        }
      },
    };
  }

  check(options: PromptSettings, channel: PromptChannel, prompt: string): PromptRefusal | null {
    return unfitForTerminal(options, channel) ?? untypeable(prompt);
  }

  adopt(turn: TurnToAdopt, observer: TurnObserver): RunningTurn {
    return startTerminalTurn(
      this.#parts,
      { kind: 'adopt', turn },
      observer,
      this.#logOf(turn.turnId, observer),
    );
  }

  #logOf(turnId: string, observer: TurnObserver): PartLog {
    const { parts } = turnArtifacts(this.#paths, turnId);
    const faulty = (fault: string): void => observer.report(`turn ${turnId}: ${fault}`);
    return new PartLog(new PartWriter(parts, this.#parts.clock, faulty), parts);
  }

  interrupt(): Promise<StopOutcome> {
    return interruptTerminal(this.#parts);
  }

  settle(): void {}
}

/** In bytes: longer prompts were not tried with the real tools (docs/decisions.md#text-for-a-terminal). */
const longestPrompt = 300 * 1024;

function untypeable(prompt: string): PromptRefusal | null {
  const { text } = typeableText(prompt);
  const bytes = Buffer.byteLength(text);
  if (text.trim() === '')
    return {
      code: 'dispatch_failed',
      detail: 'Nothing of this prompt can be typed into a terminal: it has only control characters.',
    };
  return bytes <= longestPrompt
    ? null
    : {
        code: 'dispatch_failed',
        detail: `A prompt to a terminal has at most ${longestPrompt} bytes of UTF-8; this one has ${bytes}.`,
      };
}

/** The settings of a program for a terminal that it watches. */
export interface TerminalOptions {
  timings: TrackerTimings;
  /** Called after a change of the terminal. */
  changed: () => void;
  report: (fault: string) => void;
  /** For one of many terminals in a program; without it, the terminal has a connection of its own, and its full history. */
  limits?: SharedWatchLimits;
}

/** The limits for a program that watches many terminals. */
export interface SharedWatchLimits {
  source: TerminalSource;
  mostSnapshots: number;
  /** The longest time in which a change in the agent's files without a file event may go unnoticed. */
  recheckMilliseconds: number;
}
