import { closeSync, openSync, writeSync } from 'node:fs';
import type { Clock } from '../foundation/clock.js';
import { toJsonLine } from '../foundation/json-text.js';
import { toSecondStamp } from '../foundation/timestamps.js';
import type { CanonicalDraft, CanonicalEvent } from '../tools/adapter/canonical-event.js';
import type { TurnJob } from './turn-job.js';

/** `canonical-events.jsonl` of a turn. A full disk loses lines of it; the turn goes on. */
export class EventFile {
  readonly #job: TurnJob;
  readonly #clock: Clock;
  readonly #report: (fault: string) => void;
  #descriptor: number | null = null;

  /** @param report told once, when the file cannot be written any more. */
  constructor(job: TurnJob, clock: Clock, report: (fault: string) => void) {
    this.#job = job;
    this.#clock = clock;
    this.#report = report;
    this.#attempt(() => {
      this.#descriptor = openSync(job.artifacts.canonicalEvents, 'w', 0o600);
    });
  }

  write(draft: CanonicalDraft, sessionId: string | null): CanonicalEvent {
    const event: CanonicalEvent = {
      ...draft,
      turn_index: this.#job.turnIndex,
      provider: this.#job.tool,
      timestamp_utc: toSecondStamp(this.#clock.now()),
      session_id: sessionId,
    };
    const descriptor = this.#descriptor;
    if (descriptor !== null) this.#attempt(() => writeSync(descriptor, `${toJsonLine(event)}\n`));
    return event;
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.close();
      this.#report(`canonical-events.jsonl could not be written: ${(error as Error).message}`);
    }
  }
}
