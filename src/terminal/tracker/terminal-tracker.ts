import type { Clock } from '../../foundation/clock.js';
import { rememberLast } from '../../foundation/text.js';
import type { FrameSignals } from '../../tools/screen/frame-signals.js';
import type { ToolScreens } from '../../tools/screen/screen-profile.js';
import type { StyledRow } from '../../tools/screen/styled-rows.js';
import {
  diagnosticsOf,
  measureText,
  nothingCaptured,
  type PollOutcome,
  type ProbeSnapshot,
  type ReadOutcome,
} from './observation.js';
import { type ReaderResult, ScreenReader } from './screen-reader.js';
import type { NotedAnswer } from './shown-dialog.js';
import type { Moment } from './stability.js';
import type { TerminalSnapshot, TerminalState } from './terminal-state.js';
import type { TrackerTimings } from './tracker-timings.js';
import {
  afterAnswer,
  afterIneffectiveAnswer,
  afterNewReader,
  afterNote,
  afterObservation,
  initialTracking,
  type Observation,
  type Tracking,
  type TrackingConfig,
} from './tracking.js';

export interface TrackerOptions {
  /** The name of the tool, such as `claude`. */
  tool: string;
  /** Null for a tool whose screens are not supported. */
  screens: ToolScreens | null;
  /** The version text of the tool; null if it is not known. */
  version: string | null;
  timings: TrackerTimings;
  clock: Clock;
  /** Splits a captured text, with its escape sequences, into rows. */
  rowsOf: (text: string) => readonly StyledRow[];
  /** The maximum number of snapshots; null for the usual 1000. */
  mostSnapshots?: number | null;
}

/** Follows one terminal: it takes the results of observations, and notes of typed input, and derives the state from them. */
export class TerminalTracker {
  readonly #options: TrackerOptions;
  readonly #config: TrackingConfig;
  readonly #history: SnapshotHistory;
  readonly #measure = rememberLast(measureText);
  #profileVersion: string | null;
  #reader: ScreenReader;
  #tracking: Tracking;

  constructor(options: TrackerOptions) {
    this.#options = options;
    this.#config = { tool: options.tool, timings: options.timings };
    this.#history = new SnapshotHistory({ most: options.mostSnapshots });
    const profile = options.screens?.profileFor(options.version) ?? null;
    this.#profileVersion = profile?.version ?? null;
    this.#reader = new ScreenReader(profile, options.rowsOf);
    this.#tracking = initialTracking(options.clock.now());
  }

  /** The state after the latest observation or note. */
  get state(): TerminalState {
    return this.#tracking.state;
  }

  /** True if everything has been the same for so long that the passing of time alone has no effect any more. */
  get settled(): boolean {
    return this.state.stability.stableForSeconds > Math.max(...Object.values(this.#options.timings));
  }

  /** The signals of the latest observation; null if no screen was read. */
  get signals(): FrameSignals | null {
    return this.#tracking.observation.signals;
  }

  /** Returns one snapshot for each observation and each note, the oldest first. @param limit zero or less means all. */
  history(limit: number): readonly TerminalSnapshot[] {
    return this.#history.newest(limit);
  }

  /** Takes the result of one observation of the pane. */
  observe(outcome: PollOutcome): TerminalState {
    const now = this.#now();
    return this.#keep(afterObservation(this.#tracking, this.#observationOf(outcome, now), now, this.#config));
  }

  /** Notes that a prompt was typed and submitted. */
  notePrompt(prompt: string): TerminalState {
    return this.#keep(afterNote(this.#tracking, { kind: 'submitted', prompt }, this.#now(), this.#config));
  }

  /** Notes that we pressed the key that interrupts the tool. */
  noteInterrupt(): TerminalState {
    return this.#keep(afterNote(this.#tracking, { kind: 'interrupt' }, this.#now(), this.#config));
  }

  /** Notes that we are about to press the key that answers a question. */
  noteAnswer(answer: NotedAnswer): void {
    this.#tracking = afterAnswer(this.#tracking, answer);
  }

  /** Gives the question another id: it was answered and is still there, or there again. */
  renewDialog(): TerminalState {
    this.#tracking = afterIneffectiveAnswer(this.#tracking, this.#now());
    return this.state;
  }

  /** Takes another version of the tool. If its screens need another reader, everything is unknown again. */
  useVersion(version: string | null): void {
    const profile = this.#options.screens?.profileFor(version) ?? null;
    if (profile === null || profile.version === this.#profileVersion) return;
    this.#profileVersion = profile.version;
    this.#reader = new ScreenReader(profile, this.#options.rowsOf);
    this.#keep(afterNewReader(this.#tracking, this.#now(), this.#config));
  }

  #now(): Moment {
    return { at: this.#options.clock.monotonic(), date: this.#options.clock.now() };
  }

  #keep(tracking: Tracking): TerminalState {
    this.#tracking = tracking;
    const { transitions, dialog, answered, awaited, recovered, stalled, ...snapshot } = tracking.state;
    this.#history.add(snapshot);
    return tracking.state;
  }

  #observationOf(outcome: PollOutcome, now: Moment): Observation {
    const probe = this.#probeOf(outcome, now);
    if (outcome.kind !== 'captured') {
      if (outcome.kind !== 'probe_failed') this.#reader.forget();
      const diagnostics = diagnosticsOf(outcome, { kind: 'unsupported_tool' });
      return { diagnostics, probe, signals: null, parsed: null };
    }
    const reading = this.#reader.read(outcome.text, now.at);
    const { signals, parsed } = reading.kind === 'read' ? reading : { signals: null, parsed: null };
    return { diagnostics: diagnosticsOf(outcome, readOutcome(reading)), probe, signals, parsed };
  }

  #probeOf(outcome: PollOutcome, now: Moment): ProbeSnapshot | null {
    if (outcome.kind !== 'captured' && outcome.kind !== 'tool_down') return null;
    const { paneId, panePid, processNames } = outcome;
    const captured = outcome.kind === 'captured' ? this.#measure(outcome.text) : nothingCaptured;
    return { observedAt: now.date, paneId, panePid, processNames, captured };
  }
}

function readOutcome(reading: ReaderResult): ReadOutcome {
  if (reading.kind !== 'read') return reading;
  return { kind: reading.parsed.availability === 'supported' ? 'understood' : 'not_understood' };
}

const mostSnapshots = 1000;
/** The limit of text in UTF-16 units. Otherwise a long scrollback that changes with every observation would fill the memory. */
const mostText = 32 * 1024 * 1024;

/** The newest snapshots: at most 1000 or the given number, together at most 32 Mi units of text, but always the newest one. */
export class SnapshotHistory {
  readonly #entries: TerminalSnapshot[] = [];
  readonly #most: number;
  readonly #mostText: number;
  #text = 0;

  constructor(options: { most?: number | null | undefined; mostText?: number } = {}) {
    this.#most = options.most ?? mostSnapshots;
    this.#mostText = options.mostText ?? mostText;
  }

  add(snapshot: TerminalSnapshot): void {
    this.#text += newText(snapshot, this.#entries.at(-1));
    this.#entries.push(snapshot);
    while (this.#entries.length > 1 && (this.#entries.length > this.#most || this.#text > this.#mostText))
      this.#drop();
  }

  /** Returns the newest snapshots, the oldest first. @param limit their number; zero or less means all. */
  newest(limit: number): readonly TerminalSnapshot[] {
    return limit > 0 ? this.#entries.slice(-limit) : this.#entries.slice();
  }

  #drop(): void {
    const dropped = this.#entries.shift();
    const first = this.#entries[0];
    if (dropped && first)
      this.#text -= newText(dropped, undefined) + newText(first, dropped) - newText(first, undefined);
  }
}

/** Returns the length of the text in a snapshot that the one before it does not have. */
function newText(snapshot: TerminalSnapshot, before: TerminalSnapshot | undefined): number {
  const { parsed, probe } = snapshot;
  const projection = parsed && parsed.text !== before?.parsed?.text ? parsed.text : null;
  const excerpt = probe && probe.captured !== before?.probe?.captured ? probe.captured.excerpt : '';
  const { normalized, dialog, head, tail } = projection ?? { normalized: '', dialog: '', head: '', tail: '' };
  return normalized.length + dialog.length + head.length + tail.length + excerpt.length;
}
