import type { CallTracer } from '../contract/http-observer.js';
import type { EventFollower } from '../events/event-store.js';

/** A program whose calls and turns are traced. */
export interface TracedProgram {
  readonly name: string;
  readonly version: string;
  /** Further facts about it, such as the name of its agent. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Called once when spans do not reach their collector, and once when they do again. */
  report(line: string): void;
}

/** The traces of a program, without a word of OpenTelemetry's: its packages are in a file of their own. */
export interface Tracing {
  readonly calls: CallTracer;
  /** Makes a span of each turn, from its claim to its end. */
  readonly follow: EventFollower;
  /** Returns the `traceparent` of the call under way, for the calls that are made for it; null outside of one. */
  current(): string | null;
  /** Notes that the call under way caused a request or a turn, by its id: the span of the turn links to that of the call. */
  caused(id: string): void;
  /** Sends what is left, and waits a moment for that. */
  close(): Promise<void>;
}
