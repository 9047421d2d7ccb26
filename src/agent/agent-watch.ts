import type { Clock } from '../foundation/clock.js';
import type { AgentInspection, AgentTarget } from './target/agent-target.js';

/** The maximum age of an inspection for status and admission; before a prompt is handed over there is a new one. */
const probeAgeMilliseconds = 1000;

const neverInspected: AgentInspection = {
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
  readonly #inspected: (seen: AgentInspection) => Promise<void>;
  #inspection: AgentInspection = neverInspected;
  #inspectedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | null = null;

  /** @param inspected called after each inspection, before the callers of {@link inspect} continue. */
  constructor(
    target: Pick<AgentTarget, 'inspect'>,
    clock: Clock,
    inspected: (seen: AgentInspection) => Promise<void>,
  ) {
    this.#target = target;
    this.#clock = clock;
    this.#inspected = inspected;
  }

  get inspection(): AgentInspection {
    return this.#inspection;
  }

  /** True if the last inspection is too old for status and admission. */
  get isStale(): boolean {
    return this.#clock.monotonic() - this.#inspectedAt >= probeAgeMilliseconds;
  }

  /** Inspects the agent again, or joins a running inspection. */
  inspect(): Promise<void> {
    this.#running ??= this.#inspectOnce().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #inspectOnce(): Promise<void> {
    this.#inspection = await this.#target.inspect();
    this.#inspectedAt = this.#clock.monotonic();
    await this.#inspected(this.#inspection);
  }
}
