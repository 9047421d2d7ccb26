import type { ChatContext } from '../../tools/screen/frame-signals.js';
import type { Diagnostics } from './diagnostics.js';
import type { ParsedSurface } from './parsed-surface.js';
import type { ProbeSnapshot } from './probe-snapshot.js';
import type { LastTurn, Phase, Surface } from './turn-shapes.js';

/** What is known of a conversation that the tool could not compact. */
export interface ChatContextDiagnostic {
  toolName: string;
  detectorName: string;
  detectorVersion: string;
  degradedErrorType: string;
  messagePreview: string | null;
}

/** How long the observations have been the same. */
export interface Stability {
  /** SHA-1 of the observations in hexadecimal; empty before the first. */
  signature: string;
  stable: boolean;
  stableForSeconds: number;
  stableSince: Date;
}

/** What has to stay the same. */
export interface Observations {
  diagnostics: Diagnostics;
  /** Null when the screen could not be read. */
  parsed: ParsedSurface | null;
  surface: Surface;
  phase: Phase;
  /** `updatedAt` is when result and source became what they are; null while there is none. */
  lastTurn: LastTurn & { updatedAt: Date | null };
  chatContext: ChatContext['state'];
  chatContextDiagnostic: ChatContextDiagnostic | null;
}

/** The terminal at one moment. */
export interface TerminalSnapshot extends Observations {
  recordedAt: Date;
  /** Null when there was no look at a pane. */
  probe: ProbeSnapshot | null;
  stability: Stability;
}
