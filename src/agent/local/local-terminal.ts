import { basename } from 'node:path';
import type { StopOutcome } from '../../run/running-turn.js';
import { manifestReader } from '../../session/manifest.js';
import { attachIdentityOf } from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { SessionPaths } from '../../session/session-paths.js';
import type { KeySegment } from '../../terminal/key-sequence.js';
import { TerminalWatch } from '../../terminal/terminal-watch.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import { readinessReasons } from '../../terminal/tracker/readiness-reasons.js';
import { TerminalTracker } from '../../terminal/tracker/terminal-tracker.js';
import type { TrackerTimings } from '../../terminal/tracker/tracker-timings.js';
import { toStyledRows } from '../../tools/screen/styled-rows.js';
import { screensOf, toolProcessNames } from '../../tools/screen-registry.js';
import type { AgentTarget, Inspection, Refusal } from '../target/agent-target.js';
import { type AgentTerminal, TerminalLost, type TerminalNames } from '../target/agent-terminal.js';
import { notConnected, sessionTrouble } from '../target/session-trouble.js';
import type { Surroundings } from './local-headless.js';

/** Rows at the end of what is captured that a detector may look at. */
const rowsRead = 300;

/**
 * An agent that runs in a terminal of this machine: its screen is followed, and keys are typed into it. Prompts are not
 * taken yet (docs/decisions.md#terminals-of-this-machine).
 */
export class LocalTerminalTarget implements AgentTarget {
  readonly capabilities = { prompts: 'unbuilt', keys: 'available', screen: 'available' } as const;
  readonly remote = false;
  readonly terminal: AgentTerminal;
  readonly #paths: SessionPaths;
  readonly #watch: TerminalWatch;
  readonly #manifest: () => Manifest;

  constructor(
    manifest: Manifest,
    paths: SessionPaths,
    surroundings: Surroundings,
    { timings, changed, report }: TerminalOptions,
  ) {
    const { clock, tmux } = surroundings;
    this.#paths = paths;
    this.#manifest = manifestReader(paths.manifest);
    const tmuxSession = manifest.tmux_session_name ?? manifest.tmux?.session_name ?? '';
    const screens = screensOf(manifest.tool);
    const version = manifest.launch_policy_provenance?.detected_tool_version ?? null;
    this.#watch = new TerminalWatch({
      session: tmuxSession,
      connect: (listener) => tmux.control(tmuxSession, listener),
      tracker: new TerminalTracker({
        ...{ tool: manifest.tool, screens, version, timings, clock },
        rowsOf: (text) => toStyledRows(text, rowsRead),
      }),
      toolNames: toolProcessNames(manifest.tool, manifest.launch_plan.executable),
      pollSeconds: timings.watchPollIntervalSeconds,
      ...{ clock, changed, report },
    });
    this.terminal = new WatchedTerminal(
      {
        sessionId: manifest.runtime.session_id ?? attachIdentityOf(manifest, basename(paths.root)),
        tool: manifest.tool,
        tmuxSession,
      },
      this.#watch,
    );
  }

  async inspect(): Promise<Inspection> {
    let manifest: Manifest;
    try {
      manifest = this.#manifest();
    } catch (error) {
      return notConnected(sessionTrouble(error));
    }
    const state = await this.#watch.look();
    const { diagnostics } = state;
    if (diagnostics.transport !== 'tmux_up')
      return notConnected(
        diagnostics.probeError?.message ?? `The tmux session ${this.terminal.names.tmuxSession} is gone.`,
      );
    const known = diagnostics.availability === 'available' || diagnostics.availability === 'tui_down';
    return {
      connected: true,
      instanceId: manifest.runtime.session_id ?? attachIdentityOf(manifest, basename(this.#paths.root)),
      surface: !known ? 'unknown' : readinessReasons(state).length === 0 ? 'ready' : 'not_ready',
      acceptsPrompts: false,
      detail: null,
    };
  }

  resolve(): Refusal {
    return { code: 'unavailable', detail: 'Prompts to a terminal of this machine are not taken yet.' };
  }
  check(): null {
    return null;
  }
  adopt(): null {
    return null;
  }
  async interrupt(): Promise<StopOutcome> {
    return { outcome: 'no_op' };
  }
  settle(): void {}
}

/** What a gateway gives a terminal. */
export interface TerminalOptions {
  timings: TrackerTimings;
  /** Called when something about the terminal has changed. */
  changed: () => void;
  report: (fault: string) => void;
}

class WatchedTerminal implements AgentTerminal {
  readonly names: TerminalNames;
  readonly #watch: TerminalWatch;

  constructor(names: TerminalNames, watch: TerminalWatch) {
    this.names = names;
    this.#watch = watch;
  }

  get state() {
    return this.#watch.tracker.state;
  }
  history(limit: number) {
    return this.#watch.tracker.history(limit);
  }
  notePrompt(prompt: string) {
    return this.#watch.tracker.notePrompt(prompt);
  }
  async type(segments: readonly KeySegment[]): Promise<void> {
    try {
      const pane = await this.#watch.pane();
      await pane.type(segments);
    } catch (error) {
      throw error instanceof TmuxFault ? new TerminalLost(error.message, { cause: error }) : error;
    }
  }
  start(): void {
    this.#watch.start();
  }
  stop(): Promise<void> {
    return this.#watch.stop();
  }
}
