import { isDeepStrictEqual } from 'node:util';
import { rememberLast } from '../../foundation/text.js';
import type { FrameSignals } from '../../tools/screen/frame-signals.js';
import type { ScreenProfile, SeenFrame } from '../../tools/screen/screen-profile.js';
import type { StyledRow } from '../../tools/screen/styled-rows.js';
import {
  type ParsedSurface,
  type ProjectionCues,
  parsedSurface,
  projectionCues,
  projectScreen,
  type ScreenProjection,
} from './parsed-surface.js';

/** The result of reading a captured screen. */
export type ReaderResult =
  | { kind: 'read'; signals: FrameSignals; parsed: ParsedSurface }
  | { kind: 'unsupported_tool' }
  | { kind: 'failed'; message: string };

/** The age up to which frames are passed to a detector. */
const recentMilliseconds = 3000;

/**
 * Reads the screens of one tool. It remembers the frames of the last seconds, and the length of the text when it was first
 * understood.
 */
export class ScreenReader {
  readonly #profile: ScreenProfile | null;
  readonly #rowsOf: (text: string) => readonly StyledRow[];
  #recent: readonly SeenFrame[] = [];
  #baseline: number | null = null;
  #projected: { rows: readonly StyledRow[]; cues: ProjectionCues; text: ScreenProjection } | null = null;

  /**
   * @param profile null for a tool whose screens are not supported.
   * @param rowsOf splits a captured text; called once for each text that differs from the one before.
   */
  constructor(profile: ScreenProfile | null, rowsOf: (text: string) => readonly StyledRow[]) {
    this.#profile = profile;
    this.#rowsOf = rememberLast(rowsOf);
  }

  /** @param at milliseconds of a monotonic clock. A reader that throws is reported as `failed`. */
  read(text: string, at: number): ReaderResult {
    const profile = this.#profile;
    if (profile === null) return { kind: 'unsupported_tool' };
    try {
      const rows = this.#rowsOf(text);
      const recent = this.#recent.filter((frame) => at - frame.at <= recentMilliseconds);
      const signals = profile.detect({ rows, at }, recent);
      this.#recent = [...recent, { rows, at, signals }];
      return { kind: 'read', signals, parsed: this.#parsed(profile, rows, signals) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { kind: 'failed', message: `The screen could not be read: ${reason}` };
    }
  }

  /** Discards the earlier frames: they mean nothing for the frames that follow. */
  forget(): void {
    this.#recent = [];
    this.#baseline = null;
  }

  #parsed(profile: ScreenProfile, rows: readonly StyledRow[], signals: FrameSignals): ParsedSurface {
    const text = this.#projection(rows, projectionCues(signals));
    const parsed = parsedSurface(signals, text, profile.version, this.#baseline);
    if (parsed.availability === 'supported') this.#baseline ??= text.normalized.length;
    return parsed;
  }

  #projection(rows: readonly StyledRow[], cues: ProjectionCues): ScreenProjection {
    const last = this.#projected;
    if (last?.rows === rows && isDeepStrictEqual(last.cues, cues)) return last.text;
    const text = projectScreen(rows, cues);
    this.#projected = { rows, cues, text };
    return text;
  }
}
