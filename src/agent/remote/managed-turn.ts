import type { Clock } from '../../foundation/clock.js';
import { deferred } from '../../foundation/concurrency.js';
import type { RecordError } from '../../run/record-error.js';
import {
  noSigns,
  type RunningTurn,
  type StopLadder,
  type StopOutcome,
  type TurnObserver,
  type TurnSigns,
} from '../../run/running-turn.js';
import { TurnReading } from '../../run/turn-reading.js';
import { readLine } from '../../tools/adapter/event-drafts.js';
import type { ToolAdapter } from '../../tools/adapter/tool-adapter.js';
import type { PromptSettings, TurnAssignment } from '../target/agent-target.js';
import { type ManagedApi, type ManagedTurn, outcomeOf } from './managed-api.js';
import { failedUnsent, handOverFailed, PeerFault, stopFailed } from './peer-client.js';

// A turn that another server runs:
//
//   asking ──the server says that it took the prompt──▶ following ──its record of the turn has ended──▶ over
//      │                                                    │
//      ├─ refused, unreachable ──▶ over, not delivered      │
//      └─ lost, silent ──▶ following, if it knows the turn  └─ silent for 30 s, or let go ──▶ over, its end unknown

/** The interval at which the server is asked about the turn. */
const pollMilliseconds = 1000;
/** The turn is given up if the server is silent for longer than this. */
const silentMilliseconds = 30_000;
/** A server that took a prompt has a record of the turn within this time. */
const recordMilliseconds = 10_000;

export interface ManagedTurnParts {
  api: ManagedApi;
  assignment: TurnAssignment;
  /** The options that the caller gave: the server has its own defaults. */
  options: PromptSettings;
  adapter: ToolAdapter;
  observer: TurnObserver;
  clock: Clock;
  /** Whether another process sent the prompt, so that the turn is only followed. */
  adopted: boolean;
}

export function startManagedTurn(parts: ManagedTurnParts): RunningTurn {
  const turn = new TurnOnServer(parts);
  return {
    ended: turn.run(),
    stop: (ladder, letGo) => turn.stop(ladder, letGo),
    leave: () => turn.leave(),
  };
}

class TurnOnServer {
  readonly #api: ManagedApi;
  readonly #assignment: TurnAssignment;
  readonly #options: PromptSettings;
  readonly #adapter: ToolAdapter;
  readonly #observer: TurnObserver;
  readonly #clock: Clock;
  readonly #adopted: boolean;
  #left = false;
  readonly #letGo = new AbortController();
  readonly #over = new AbortController();
  readonly #ended = deferred<void>();
  #lastAnswerAt: number;
  #taken = false;

  constructor({ api, assignment, options, adapter, observer, clock, adopted }: ManagedTurnParts) {
    this.#api = api;
    this.#assignment = assignment;
    this.#options = options;
    this.#adapter = adapter;
    this.#observer = observer;
    this.#clock = clock;
    this.#adopted = adopted;
    this.#lastAnswerAt = clock.monotonic();
  }

  async run(): Promise<TurnSigns | null> {
    const signs = await this.#run().catch(handOverFailed);
    this.#over.abort();
    this.#ended.resolve();
    return this.#left ? null : signs;
  }

  /** Leaves the turn; the server continues it. */
  leave(): void {
    this.#left = true;
    this.#letGo.abort();
  }

  /** Asks the server to end the turn, and waits as long as the ladder would take. */
  async stop(ladder: StopLadder, letGo: boolean): Promise<StopOutcome> {
    let outcome: StopOutcome;
    try {
      const found = await this.#api.interrupt();
      outcome = found ? { outcome: 'stopped', signal: null } : { outcome: 'no_op' };
      await this.#clock.sleep(
        ladder.reduce((sum, { waitMs }) => sum + waitMs, 0),
        this.#over.signal,
      );
    } catch (error) {
      outcome = stopFailed(error);
    }
    if (!this.#over.signal.aborted && outcome.outcome !== 'failed') {
      outcome = { outcome: 'failed', error: unanswered };
    }
    if (letGo) {
      this.#letGo.abort();
      await this.#ended.promise;
    }
    return outcome;
  }

  async #run(): Promise<TurnSigns> {
    if (this.#adopted) return this.#followAdopted();
    let whole: boolean;
    try {
      whole = await this.#api.runsWholeTurns();
    } catch (error) {
      return failedUnsent(error);
    }
    return whole ? this.#runWhole() : this.#submit();
  }

  /**
   * Follows an adopted turn. Only a server that runs whole turns knows it by our turn id. A server that is silent now is taken
   * for one of these.
   */
  async #followAdopted(): Promise<TurnSigns> {
    const { turnId } = this.#assignment;
    const whole = await this.#api.runsWholeTurns().catch(() => true);
    return whole ? this.#follow(turnId, null) : this.#withoutRecord(turnId, null);
  }

  /**
   * Runs the turn by one request that the server answers at the end; until then the agent's detail shows whether the turn has
   * begun.
   */
  async #runWhole(): Promise<TurnSigns> {
    const { turnId, prompt } = this.#assignment;
    const options = this.#options;
    const answered = new AbortController();
    const hangUp = AbortSignal.any([this.#letGo.signal, answered.signal]);
    const answer = this.#api.runTurn(turnId, prompt, options, hangUp).then(
      () => null,
      (error: unknown) => error,
    );
    const fault = await Promise.race([answer, this.#watch(answered.signal)]);
    answered.abort();
    if (this.#letGo.signal.aborted) return this.#givenUp();
    if (fault === null) {
      this.#take('the server answered that the turn is over');
      return this.#follow(turnId, { outcome: 'completed', error: null });
    }
    // A server that is stopping answers 503 for a turn that continues: then its record decides.
    const goesOn = fault instanceof PeerFault && (fault.outcomeUnknown || fault.status === 503);
    if (!goesOn) return handOverFailed(fault);
    return this.#follow(turnId, handOverFailed(fault).reportedOutcome);
  }

  /** Resolves with a fault if the server is silent for too long, or with null when the wait ends. */
  async #watch(answered: AbortSignal): Promise<unknown> {
    const { turnId } = this.#assignment;
    const enough = AbortSignal.any([answered, this.#letGo.signal]);
    while (!enough.aborted) {
      await this.#clock.sleep(pollMilliseconds, enough);
      if (enough.aborted) break;
      try {
        const { detail } = await this.#api.detail();
        this.#lastAnswerAt = this.#clock.monotonic();
        if (detail.turn.active_turn_id === turnId) this.#take(`the server reports turn ${turnId} as active`);
      } catch {
        if (this.#silent())
          return new PeerFault('silent', `The server has not answered for ${silentMilliseconds / 1000} s.`);
      }
    }
    return null;
  }

  /** Submits the prompt to a server that gives the turn its own name. */
  async #submit(): Promise<TurnSigns> {
    const { prompt } = this.#assignment;
    const options = this.#options;
    if (options.chatSession && options.chatSession.mode !== 'auto') {
      const detail = 'The server that runs the agent takes no chat_session with a prompt.';
      return {
        ...noSigns,
        reportedOutcome: { outcome: 'failed', error: { code: 'invalid_chat_session', detail } },
      };
    }
    const serverTurn = await this.#api.submit(prompt, options);
    if (serverTurn === null) {
      this.#observer.handedOver('the server accepted the prompt');
      return unknownEnd('The server accepted the prompt and named no turn, so its end cannot be known.');
    }
    this.#take(`the server accepted the prompt as turn ${serverTurn}`);
    return this.#follow(serverTurn, null);
  }

  /**
   * Waits for the end of a turn by the server's record of it.
   * @param otherwise the end to assume if the server has no such record; null if a missing record is a fault.
   */
  async #follow(serverTurn: string, otherwise: TurnSigns['reportedOutcome']): Promise<TurnSigns> {
    const askedAt = this.#clock.monotonic();
    this.#lastAnswerAt = askedAt;
    for (;;) {
      const record = await this.#recordOf(serverTurn);
      if (record && record.status !== 'active') return this.#endOf(serverTurn, record);
      if (record) this.#take(`the server reports turn ${serverTurn} as active`);
      const noRecord =
        record === null && (otherwise || this.#clock.monotonic() - askedAt > recordMilliseconds);
      if (noRecord) return this.#withoutRecord(serverTurn, otherwise);
      if (record === undefined && this.#silent()) return this.#withoutRecord(serverTurn, otherwise);
      await this.#clock.sleep(pollMilliseconds, this.#letGo.signal);
      if (this.#letGo.signal.aborted) return this.#givenUp();
    }
  }

  /** Returns null if the server has no such turn; undefined if it gave no usable answer. */
  async #recordOf(serverTurn: string): Promise<ManagedTurn | null | undefined> {
    try {
      const record = await this.#api.turn(serverTurn);
      this.#lastAnswerAt = this.#clock.monotonic();
      return record;
    } catch {
      return undefined;
    }
  }

  async #endOf(serverTurn: string, record: ManagedTurn): Promise<TurnSigns> {
    this.#take(`the server reports turn ${serverTurn} as ${record.status}`);
    return {
      ...noSigns,
      exitCode: record.returncode ?? null,
      reportedOutcome: outcomeOf(record),
      ...(record.status === 'completed' && (await this.#outputOf(serverTurn))),
    };
  }

  /** Returns the answer and the usage, read from the agent's output; null if the server does not show that. */
  async #outputOf(serverTurn: string): Promise<Pick<TurnSigns, 'answer' | 'usage'>> {
    const reading = new TurnReading(this.#adapter, []);
    const stdout = await this.#api.stdoutOf(serverTurn).catch(() => '');
    for (const line of stdout.split('\n'))
      for (const draft of readLine(line, this.#adapter)) reading.take({ ...draft, session_id: null });
    const { answer, usage } = reading.signs({
      startFault: null,
      exitCode: null,
      signal: null,
      supervisorLost: false,
      stderrTail: '',
    });
    return { answer, usage };
  }

  #withoutRecord(serverTurn: string, otherwise: TurnSigns['reportedOutcome']): TurnSigns {
    if (otherwise?.outcome === 'completed') return { ...noSigns, reportedOutcome: otherwise };
    const lost: RecordError = otherwise?.error ?? {
      code: 'peer_lost',
      detail: `The server can no longer tell what became of turn ${serverTurn}.`,
    };
    return {
      ...noSigns,
      reportedOutcome: { outcome: 'failed', error: lost },
      outcomeUnknown: this.#unknownUnlessTaken(lost.detail),
    };
  }

  #givenUp(): TurnSigns {
    return {
      ...noSigns,
      reportedOutcome: { outcome: 'failed', error: unanswered },
      outcomeUnknown: this.#unknownUnlessTaken(unanswered.detail),
    };
  }

  #unknownUnlessTaken = (detail: string): string | null => (this.#taken ? null : detail);

  #silent(): boolean {
    return this.#clock.monotonic() - this.#lastAnswerAt > silentMilliseconds;
  }

  #take(evidence: string): void {
    if (this.#taken) return;
    this.#taken = true;
    this.#observer.handedOver(evidence);
    this.#observer.confirmed(evidence);
  }
}

const unanswered: RecordError = {
  code: 'interrupt_unanswered',
  detail: 'The server was asked to end the turn and did not; it may still run there.',
};

const unknownEnd = (detail: string): TurnSigns => ({
  ...noSigns,
  reportedOutcome: { outcome: 'failed', error: { code: 'no_result', detail } },
});
