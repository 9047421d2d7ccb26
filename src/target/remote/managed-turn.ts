import type { Clock } from '../../foundation/clock.js';
import { deferred } from '../../foundation/deferred.js';
import { readLine } from '../../tools/read-line.js';
import type { ToolAdapter } from '../../tools/tool-adapter.js';
import { explainProviderError } from '../../turn/provider-error.js';
import type { RunningTurn, StopLadder, StopOutcome, TurnObserver } from '../../turn/running-turn.js';
import { TurnReading } from '../../turn/turn-reading.js';
import { noSigns, type TurnSigns } from '../../turn/turn-signs.js';
import type { TurnAssignment } from '../agent-target.js';
import type { ManagedApi, ManagedTurn } from './managed-api.js';
import { PeerFault } from './peer-client.js';
import { failedUnsent, handOverFailed, stopFailed } from './peer-signs.js';

// A turn that another server runs:
//
//   asking ──the server says that it took the prompt──▶ following ──its record of the turn has ended──▶ over
//      │                                                    │
//      ├─ refused, unreachable ──▶ over, not delivered      │
//      └─ lost, silent ──▶ following, if it knows the turn  └─ silent for 30 s, or let go ──▶ over, its end unknown

/** How often the server is asked how the turn is. */
const lookMilliseconds = 1000;
/** A server that says nothing for this long is given up. */
const silentMilliseconds = 30_000;
/** A server that took a prompt has its record of the turn by then. */
const recordMilliseconds = 10_000;

/** @param prepare finds the server; what it throws ends the turn before anything was sent. */
export function startManagedTurn(
  prepare: () => ManagedApi,
  assignment: TurnAssignment,
  adapter: ToolAdapter,
  observer: TurnObserver,
  clock: Clock,
): RunningTurn {
  const turn = new TurnOnServer(prepare, assignment, adapter, observer, clock);
  return { ended: turn.run(), stop: (ladder, letGo) => turn.stop(ladder, letGo) };
}

class TurnOnServer {
  readonly #prepare: () => ManagedApi;
  readonly #assignment: TurnAssignment;
  readonly #adapter: ToolAdapter;
  readonly #observer: TurnObserver;
  readonly #clock: Clock;
  readonly #letGo = new AbortController();
  readonly #over = new AbortController();
  readonly #ended = deferred<void>();
  #lastWord: number;
  #taken = false;

  constructor(
    prepare: () => ManagedApi,
    assignment: TurnAssignment,
    adapter: ToolAdapter,
    observer: TurnObserver,
    clock: Clock,
  ) {
    this.#prepare = prepare;
    this.#assignment = assignment;
    this.#adapter = adapter;
    this.#observer = observer;
    this.#clock = clock;
    this.#lastWord = clock.monotonic();
  }

  async run(): Promise<TurnSigns> {
    const signs = await this.#run().catch(handOverFailed);
    this.#over.abort();
    this.#ended.resolve();
    return signs;
  }

  /** Asks the server to end it, and gives it as long as the ladder would take. */
  async stop(ladder: StopLadder, letGo: boolean): Promise<StopOutcome> {
    let outcome: StopOutcome;
    try {
      const found = await this.#prepare().interrupt();
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
    let api: ManagedApi;
    let whole: boolean;
    try {
      api = this.#prepare();
      whole = await api.runsWholeTurns();
    } catch (error) {
      return failedUnsent(error);
    }
    return whole ? this.#runWhole(api) : this.#submit(api);
  }

  /** The server answers when the turn is over; meanwhile its detail tells whether it has begun. */
  async #runWhole(api: ManagedApi): Promise<TurnSigns> {
    const { turnId, prompt, options } = this.#assignment;
    const answered = new AbortController();
    const hangUp = AbortSignal.any([this.#letGo.signal, answered.signal]);
    const answer = api.runTurn(turnId, prompt, options, hangUp).then(
      () => null,
      (error: unknown) => error,
    );
    const fault = await Promise.race([answer, this.#watch(api, answered.signal)]);
    answered.abort();
    if (this.#letGo.signal.aborted) return this.#givenUp();
    if (fault === null) {
      this.#take('the server answered that the turn is over');
      return this.#follow(api, turnId, { outcome: 'completed', error: null });
    }
    if (!(fault instanceof PeerFault && fault.mayHaveActed)) return handOverFailed(fault);
    return this.#follow(api, turnId, handOverFailed(fault).told);
  }

  /** Resolves with a fault when the server is silent for too long, or with null when it is let go. */
  async #watch(api: ManagedApi, answered: AbortSignal): Promise<unknown> {
    const { turnId } = this.#assignment;
    const enough = AbortSignal.any([answered, this.#letGo.signal]);
    while (!enough.aborted) {
      await this.#clock.sleep(lookMilliseconds, enough);
      if (enough.aborted) break;
      try {
        const { detail } = await api.detail();
        this.#lastWord = this.#clock.monotonic();
        if (detail.turn.active_turn_id === turnId) this.#take(`the server reports turn ${turnId} as active`);
      } catch {
        if (this.#silent())
          return new PeerFault('silent', `The server gave no sign for ${silentMilliseconds / 1000} s.`);
      }
    }
    return null;
  }

  /** The server takes the prompt under a name of its own. */
  async #submit(api: ManagedApi): Promise<TurnSigns> {
    const { prompt, options } = this.#assignment;
    if (options.chatSession && options.chatSession.mode !== 'auto') {
      const detail = 'The server that runs the agent takes no chat_session with a prompt.';
      return { ...noSigns, told: { outcome: 'failed', error: { code: 'invalid_chat_session', detail } } };
    }
    const serverTurn = await api.submit(prompt, options);
    if (serverTurn === null) {
      this.#observer.handedOver('the server accepted the prompt');
      return unknownEnd('The server accepted the prompt and named no turn, so its end cannot be known.');
    }
    this.#take(`the server accepted the prompt as turn ${serverTurn}`);
    return this.#follow(api, serverTurn, null);
  }

  /**
   * Waits for the end of a turn by the server's record of it.
   * @param otherwise what counts where the server has no such record; null when that is a fault of its own.
   */
  async #follow(api: ManagedApi, serverTurn: string, otherwise: TurnSigns['told']): Promise<TurnSigns> {
    const askedAt = this.#clock.monotonic();
    this.#lastWord = askedAt;
    for (;;) {
      const record = await this.#recordOf(api, serverTurn);
      if (record && record.status !== 'active') return this.#endOf(api, serverTurn, record);
      if (record) this.#take(`the server reports turn ${serverTurn} as active`);
      const noRecord =
        record === null && (otherwise || this.#clock.monotonic() - askedAt > recordMilliseconds);
      if (noRecord) return this.#withoutRecord(serverTurn, otherwise);
      if (record === undefined && this.#silent()) return this.#withoutRecord(serverTurn, otherwise);
      await this.#clock.sleep(lookMilliseconds, this.#letGo.signal);
      if (this.#letGo.signal.aborted) return this.#givenUp();
    }
  }

  /** Null when the server says that there is none; undefined when it says nothing of use. */
  async #recordOf(api: ManagedApi, serverTurn: string): Promise<ManagedTurn | null | undefined> {
    try {
      const record = await api.turn(serverTurn);
      this.#lastWord = this.#clock.monotonic();
      return record;
    } catch {
      return undefined;
    }
  }

  async #endOf(api: ManagedApi, serverTurn: string, record: ManagedTurn): Promise<TurnSigns> {
    this.#take(`the server reports turn ${serverTurn} as ${record.status}`);
    return {
      ...noSigns,
      exitCode: record.returncode ?? null,
      told: toldBy(record),
      answer: record.status === 'completed' ? await this.#answerOf(api, serverTurn) : null,
    };
  }

  /** The answer, read from what the agent wrote; null where the server does not show it. */
  async #answerOf(api: ManagedApi, serverTurn: string): Promise<TurnSigns['answer']> {
    const reading = new TurnReading(this.#adapter, []);
    const stdout = await api.stdoutOf(serverTurn).catch(() => '');
    for (const line of stdout.split('\n'))
      for (const draft of readLine(line, this.#adapter)) reading.take({ ...draft, session_id: null });
    return reading.signs({
      startFault: null,
      exitCode: null,
      signal: null,
      supervisorLost: false,
      stderrTail: '',
    }).answer;
  }

  #withoutRecord(serverTurn: string, otherwise: TurnSigns['told']): TurnSigns {
    if (otherwise?.outcome === 'completed') return { ...noSigns, told: otherwise };
    const lost = otherwise?.error ?? {
      code: 'peer_lost',
      detail: `The server can no longer tell what became of turn ${serverTurn}.`,
    };
    return {
      ...noSigns,
      told: { outcome: 'failed', error: lost },
      deliveryUnknown: this.#doubt(lost.detail),
    };
  }

  #givenUp(): TurnSigns {
    return {
      ...noSigns,
      told: { outcome: 'failed', error: unanswered },
      deliveryUnknown: this.#doubt(unanswered.detail),
    };
  }

  #doubt = (detail: string): string | null => (this.#taken ? null : detail);

  #silent(): boolean {
    return this.#clock.monotonic() - this.#lastWord > silentMilliseconds;
  }

  #take(evidence: string): void {
    if (this.#taken) return;
    this.#taken = true;
    this.#observer.handedOver(evidence);
    this.#observer.confirmed(evidence);
  }
}

const unanswered = {
  code: 'interrupt_unanswered',
  detail: 'The server was asked to end the turn and did not; it may still run there.',
};

const unknownEnd = (detail: string): TurnSigns => ({
  ...noSigns,
  told: { outcome: 'failed', error: { code: 'no_result', detail } },
});

/** The server's verdict in our words. */
function toldBy(record: ManagedTurn): NonNullable<TurnSigns['told']> {
  switch (record.status) {
    case 'completed':
      return { outcome: 'completed', error: null };
    case 'interrupted':
      return {
        outcome: 'interrupted',
        error: { code: 'interrupted', detail: 'The server ended the turn as interrupted.' },
      };
    case 'failed':
      return { outcome: 'failed', error: failureOf(record) };
    default:
      return {
        outcome: 'failed',
        error: { code: 'no_result', detail: 'The server does not know how the turn ended.' },
      };
  }
}

function failureOf({ error, returncode }: ManagedTurn): { code: string; detail: string } {
  const words = error ?? '';
  const explained = explainProviderError(words);
  if (explained) return { code: 'api_error', detail: explained };
  const code = returncode === null || returncode === undefined ? '' : ` with code ${returncode}`;
  return { code: 'agent_failed', detail: `The agent of the server failed${code}. ${words}`.trim() };
}
