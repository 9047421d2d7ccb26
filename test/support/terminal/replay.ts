import type { Diagnostics, PollOutcome } from '../../../src/terminal/tracker/observation.js';
import type { TerminalState } from '../../../src/terminal/tracker/terminal-state.js';
import { TerminalTracker } from '../../../src/terminal/tracker/terminal-tracker.js';
import { trackerTimings } from '../../../src/terminal/tracker/tracker-timings.js';
import type { ToolScreens } from '../../../src/tools/screen/screen-profile.js';
import { toStyledRows } from '../../../src/tools/screen/styled-rows.js';
import type { RecordedSample } from '../screens/recordings.js';
import { VirtualClock } from '../virtual-clock.js';

/** The known facts of session, pane and tool at a moment. */
export interface RuntimeRow {
  elapsed_seconds: number;
  session_exists: boolean;
  pane_exists: boolean;
  pane_dead: boolean;
  pane_pid_alive: boolean;
  supported_process_pid: number | null;
  supported_process_alive: boolean;
}

/** The input at a moment. Special keys are written as `<[Enter]>`. */
export interface InputRow {
  elapsed_seconds: number;
  /** `managed_send_keys` for what the driver of the recording sent. */
  source: string;
  sequence: string;
}

export interface TerminalRecording {
  tool: string;
  version: string;
  samples: readonly RecordedSample[];
  runtime: readonly RuntimeRow[];
  inputs: readonly InputRow[];
}

export interface Replayed {
  id: string;
  /** From the runtime alone: whether the screen can be read is another question. */
  availability: Diagnostics['availability'];
  state: TerminalState;
}

/**
 * The states that a tracker makes of a recording: time is that of the samples, everything is stable at once.
 * @returns the state after each sample, and the one after everything has settled.
 */
export function replay(
  recording: TerminalRecording,
  screens: ToolScreens,
  settleSeconds: number,
): { samples: Replayed[]; final: TerminalState } {
  const clock = new VirtualClock('2026-03-31T00:00:00Z');
  const timings = trackerTimings({
    completion_stability_seconds: settleSeconds,
    stability_threshold_seconds: Number.MIN_VALUE,
  });
  const { tool, version } = recording;
  const tracker = new TerminalTracker({ tool, version, screens, timings, clock, rowsOf: toStyledRows });
  const moveTo = (seconds: number) => clock.pass(Math.max(0, seconds * 1000 - clock.monotonic()));

  let inputs = notesOf(recording.inputs);
  let last: PollOutcome | null = null;
  const samples = recording.samples.map((sample) => {
    const due = inputs.filter(({ seconds }) => seconds <= sample.elapsedSeconds);
    inputs = inputs.slice(due.length);
    for (const input of due) {
      moveTo(input.seconds);
      if (input.prompt === null) tracker.noteInterrupt();
      else tracker.notePrompt(input.prompt);
    }
    moveTo(sample.elapsedSeconds);
    const runtime = recording.runtime.filter(
      ({ elapsed_seconds }) => elapsed_seconds <= sample.elapsedSeconds,
    );
    const availability = availabilityOf(runtime);
    last = outcomeOf(availability, sample.capture);
    return { id: sample.id, availability, state: tracker.observe(last) };
  });
  clock.pass((settleSeconds + 1) * 1000);
  return { samples, final: last ? tracker.observe(last) : tracker.state };
}

/** @param runtime up to the moment that is asked for. */
function availabilityOf(runtime: readonly RuntimeRow[]): Diagnostics['availability'] {
  const now = runtime.at(-1);
  if (now === undefined) return 'available';
  if (!now.session_exists || !now.pane_exists) return 'unavailable';
  const toolDied = now.supported_process_pid !== null && !now.supported_process_alive;
  const toolLeft = !now.supported_process_alive && runtime.some((row) => row.supported_process_alive);
  return now.pane_dead || toolDied || toolLeft || !now.pane_pid_alive ? 'tui_down' : 'available';
}

function outcomeOf(availability: Diagnostics['availability'], text: string): PollOutcome {
  if (availability === 'unavailable') return { kind: 'session_missing' };
  const pane = { paneId: null, panePid: null, processNames: [] };
  return availability === 'tui_down' ? { kind: 'tool_down', ...pane } : { kind: 'captured', text, ...pane };
}

interface Note {
  seconds: number;
  prompt: string | null;
}

/** Prompts that the driver submitted with Enter, and its interrupts (a null prompt). */
function notesOf(inputs: readonly InputRow[]): Note[] {
  let typed = '';
  return inputs.flatMap<Note>(({ source, sequence, elapsed_seconds: seconds }) => {
    if (source !== 'managed_send_keys') return [];
    if (sequence.includes('<[Escape]>')) return [{ seconds, prompt: null }];
    typed += sequence.replace(/<\[\w+\]>/g, '');
    if (!sequence.includes('<[Enter]>')) return [];
    const prompt = typed;
    typed = '';
    return [{ seconds, prompt }];
  });
}
