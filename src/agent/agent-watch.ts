import type { Clock } from '../foundation/clock.js';
import type { AgentTarget, Inspection } from './target/agent-target.js';

/** The maximum age of an inspection for status and admission; before a prompt is handed over there is a new one. */
const probeAgeMilliseconds = 1000;

const neverLooked: Inspection = {
  connected: false,
  instanceId: null,
  surface: 'unknown',
  reasons: [],
  acceptsPrompts: false,
  detail: 'The agent has not been checked yet.',
};

/** The agent as it was last inspected. The inspection is the only slow part, so it is shared and cached here. */
export class AgentWatch {
  readonly #target: Pick<AgentTarget, 'inspect'>;
  readonly #clock: Clock;
  readonly #looked: (seen: Inspection) => Promise<void>;
  #inspection: Inspection = neverLooked;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  /** @param looked called after each inspection, before the callers of {@link look} continue. */
  constructor(
    target: Pick<AgentTarget, 'inspect'>,
    clock: Clock,
    looked: (seen: Inspection) => Promise<void>,
  ) {
    this.#target = target;
    this.#clock = clock;
    this.#looked = looked;
  }

  get inspection(): Inspection {
    return this.#inspection;
  }

  /** True if the last inspection is too old for status and admission. */
  get isStale(): boolean {
    return this.#clock.monotonic() - this.#lookedAt >= probeAgeMilliseconds;
  }

  /** Inspects the agent again, or joins a running inspection. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    this.#inspection = await this.#target.inspect();
    this.#lookedAt = this.#clock.monotonic();
    await this.#looked(this.#inspection);
  }
}
