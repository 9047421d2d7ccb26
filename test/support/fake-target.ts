import type {
  AgentInspection,
  AgentTarget,
  PromptRefusal,
  ResolvedTurn,
  TurnAssignment,
  TurnToAdopt,
} from '../../src/agent/target/agent-target.js';
import type { AgentTerminal } from '../../src/agent/target/agent-terminal.js';
import { deferred } from '../../src/foundation/concurrency.js';
import {
  noSigns,
  type RunningTurn,
  type StopOutcome,
  type TurnObserver,
  type TurnSigns,
} from '../../src/run/running-turn.js';

export const answered: TurnSigns = {
  ...noSigns,
  exitCode: 0,
  completion: { successful: true, message: 'done' },
};

/** An agent whose turns end when the test says so. */
export class FakeTarget implements AgentTarget {
  readonly capabilities = { prompts: 'available', keys: 'none', screen: 'none' } as const;
  remote = false;
  interactive = false;
  terminal: AgentTerminal | null = null;
  readonly started: TurnAssignment[] = [];
  inspection: AgentInspection = {
    connected: true,
    instanceId: 'i',
    surface: 'ready',
    reasons: [],
    acceptsPrompts: true,
    detail: null,
  };
  probe: () => Promise<void> = async () => undefined;
  resolveFault: Error | null = null;
  timeLimitSeconds: number | null = null;
  refusal: PromptRefusal | null = null;
  /** The signs of the next turns when they end. */
  signs: TurnSigns = answered;
  /** Whether a turn says at its start that the agent has the prompt. */
  handsOver = true;
  #ends: (() => void)[] = [];
  #awaited: { count: number; come: () => void }[] = [];

  async inspect(): Promise<AgentInspection> {
    await this.probe();
    return this.inspection;
  }
  resolve(): ResolvedTurn | PromptRefusal {
    if (this.resolveFault) throw this.resolveFault;
    if (this.refusal) return this.refusal;
    return {
      session: { mode: 'new' },
      model: { name: null, reasoningLevel: null },
      timeLimitSeconds: this.timeLimitSeconds,
      start: (assignment, observer) => this.#start(assignment, observer),
    };
  }
  check(): null {
    return null;
  }
  #start(assignment: TurnAssignment, observer: TurnObserver): RunningTurn {
    this.started.push(assignment);
    if (this.handsOver) observer.handedOver('a test');
    for (const { count, come } of this.#awaited) if (this.started.length >= count) come();
    return this.#run();
  }
  adopt(_turn: TurnToAdopt, observer: TurnObserver): RunningTurn | null {
    observer.handedOver('a test');
    observer.confirmed('a test');
    return this.#run();
  }
  #run(): RunningTurn {
    const ended = deferred<TurnSigns | null>();
    let over = false;
    this.#ends.push(() => {
      over = true;
      ended.resolve(this.signs);
    });
    return {
      ended: ended.promise,
      leave: () => ended.resolve(null),
      stop: async () => {
        if (over) return { outcome: 'no_op' };
        ended.resolve({ ...this.signs, completion: null });
        return { outcome: 'stopped', signal: 'SIGINT' } as const;
      },
    };
  }
  async interrupt(): Promise<StopOutcome> {
    return { outcome: 'no_op' };
  }
  settle(): void {}
  /** Resolves when so many turns have been started. */
  async turns(count: number): Promise<void> {
    if (this.started.length >= count) return;
    const come = deferred<void>();
    this.#awaited.push({ count, come: () => come.resolve() });
    await come.promise;
  }
  /** Ends the turn that runs. */
  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}
