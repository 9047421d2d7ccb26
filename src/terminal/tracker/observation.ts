import { createHash } from 'node:crypto';

/** The reason why an observation failed. */
export interface ObservationError {
  /** A stable name, such as `tmux_probe_error`. */
  kind: string;
  message: string;
  /** Facts by name. */
  details: Readonly<Record<string, string>>;
}

/** The result of one observation of the agent's pane. */
export type PollOutcome =
  | { kind: 'session_missing' }
  /** tmux did not answer, before or during the capture, or the processes could not be listed. */
  | { kind: 'probe_failed'; step: 'tmux' | 'process' | 'capture'; message: string; details?: Details }
  | ({ kind: 'tool_down' } & PaneFacts)
  /** `text` still has its escape sequences. */
  | ({ kind: 'captured'; text: string } & PaneFacts);
type Details = Readonly<Record<string, string>>;

/** The result of reading a captured screen. */
export type ReadOutcome =
  | { kind: 'understood' }
  | { kind: 'not_understood' }
  /** There is no reader for this tool. */
  | { kind: 'unsupported_tool' }
  | { kind: 'failed'; message: string };

/** How well the terminal can be observed. */
export interface Diagnostics {
  availability: 'available' | 'unavailable' | 'tui_down' | 'error' | 'unknown';
  transport: 'tmux_up' | 'tmux_missing' | 'probe_error';
  process: 'tui_up' | 'tui_down' | 'unsupported_tool' | 'probe_error' | 'unknown';
  parse:
    | 'parsed'
    | 'skipped_tui_down'
    | 'unsupported_tool'
    | 'transport_unavailable'
    | 'probe_error'
    | 'parse_error';
  probeError: ObservationError | null;
  parseError: ObservationError | null;
}

const errors = { probeError: null, parseError: null } as const;

/** The diagnostics before the first observation. */
export const notObserved: Diagnostics = {
  availability: 'unknown',
  transport: 'tmux_missing',
  process: 'unknown',
  parse: 'transport_unavailable',
  ...errors,
};

const errorKinds = {
  tmux: 'tmux_probe_error',
  process: 'process_probe_error',
  capture: 'tmux_capture_error',
} as const;

/** @param read the result of reading the text; used only if a text was captured. */
export function diagnosticsOf(outcome: PollOutcome, read: ReadOutcome): Diagnostics {
  switch (outcome.kind) {
    case 'session_missing':
      return { ...notObserved, availability: 'unavailable' };
    case 'probe_failed':
      return {
        availability: 'error',
        transport: outcome.step === 'process' ? 'tmux_up' : 'probe_error',
        process: 'probe_error',
        parse: 'probe_error',
        probeError: {
          kind: errorKinds[outcome.step],
          message: outcome.message,
          details: outcome.details ?? {},
        },
        parseError: null,
      };
    case 'tool_down':
      return {
        availability: 'tui_down',
        transport: 'tmux_up',
        process: 'tui_down',
        parse: 'skipped_tui_down',
        ...errors,
      };
    case 'captured':
      return readDiagnostics(read);
  }
}

function readDiagnostics(read: ReadOutcome): Diagnostics {
  const up = { transport: 'tmux_up', process: 'tui_up', ...errors } as const;
  switch (read.kind) {
    case 'understood':
      return { availability: 'available', ...up, parse: 'parsed' };
    case 'not_understood':
      return { availability: 'unknown', ...up, parse: 'parsed' };
    case 'unsupported_tool':
      return { availability: 'unknown', ...up, process: 'unsupported_tool', parse: 'unsupported_tool' };
    case 'failed':
      return {
        availability: 'error',
        ...up,
        parse: 'parse_error',
        parseError: { kind: 'parse_error', message: read.message, details: {} },
      };
  }
}

/** The pane of an agent, and the processes of its tool in it. */
interface PaneFacts {
  paneId: string | null;
  panePid: number | null;
  processNames: readonly string[];
}

/** Measures of the captured text, with its escape sequences. */
interface CapturedText {
  /** SHA-1 in hexadecimal; null if nothing was captured. */
  hash: string | null;
  /** In characters (code points). */
  length: number;
  /** The last 4000 characters. */
  excerpt: string;
}

/** One observation of the agent's pane. */
export interface ProbeSnapshot extends PaneFacts {
  observedAt: Date;
  captured: CapturedText;
}

export const nothingCaptured: CapturedText = { hash: null, length: 0, excerpt: '' };

const excerptLength = 4000;
const pairs = /[\ud800-\udbff][\udc00-\udfff]/g;

export const measureText = (text: string): CapturedText => ({
  hash: createHash('sha1').update(text).digest('hex'),
  length: text.length - (text.match(pairs)?.length ?? 0),
  // Twice as many UTF-16 units contain all wanted characters; a pair that this slice cuts in two is not among the last ones.
  excerpt: Array.from(text.slice(-2 * excerptLength - 1))
    .slice(-excerptLength)
    .join(''),
});
