import type { Schemas } from '../../gateway/contract.js';
import {
  acceptedEvents,
  directPromptEndedEvent,
  directPromptEvent,
  requestEndedEvent,
  turnBegunEvents,
  turnEndedEvent,
} from './event-drafts.js';
import { FakeEvents } from './fake-events.js';

export type FakeRequestRecord = Schemas['RequestRecord'];
export type FakeTurnRecord = Schemas['TurnRecord'];

/** The answer of a fake's agent to a prompt. While a promise is pending, the turn runs; an error fails the turn. */
export type FakeAgent = string | ((prompt: string) => string | Promise<string>);

/** One request or direct prompt, with its turn. */
export interface Work {
  readonly requestId: string | null;
  readonly turnId: string;
  record: FakeRequestRecord;
  turn: FakeTurnRecord;
  readonly ended: Promise<void>;
  /** Ends its turn as an interrupt does; a turn that has ended stays as it is. */
  readonly interrupt: () => void;
}

type End =
  | { readonly text: string }
  | { readonly code: 'agent_failed' | 'interrupted'; readonly detail: string };

/**
 * The work of one agent, with the smallest possible queue: each prompt has its turn at once. The records are the contract's
 * example, changed by what happens.
 */
export class FakeWork {
  readonly all: Work[] = [];
  readonly events = new FakeEvents();
  readonly #example: FakeRequestRecord & { turn: FakeTurnRecord };
  readonly #agentNow: () => FakeAgent | null;

  /** @param agentNow returns the agent's present answer; null for the answer of the example. */
  constructor(example: FakeRequestRecord, agentNow: () => FakeAgent | null) {
    const { metadata: _, ...unlabelled } = example;
    const { metadata: __, ...turn } = example.turn as FakeTurnRecord;
    this.#example = { ...unlabelled, turn };
    this.#agentNow = agentNow;
  }

  /** The turn that an interrupt stops: the oldest running one. */
  get running(): Work | null {
    return this.all.find(({ record }) => record.turn?.state === 'running') ?? null;
  }

  begin(
    kind: FakeRequestRecord['request_kind'],
    prompt: string | null,
    origin: FakeTurnRecord['origin'],
    labels: Pick<FakeTurnRecord, 'metadata'> = {},
  ): Work {
    const number = (this.all.length + 1).toString(16);
    const requestId = origin === 'queue' ? `gwreq-20260313-000000Z-${number.padStart(8, '0')}` : null;
    const turnId = `turn-${number.padStart(12, '0')}`;
    const running = { state: 'running', finished_at_utc: null } as const;
    const turn: FakeTurnRecord = {
      ...this.#example.turn,
      turn_id: turnId,
      turn_index: this.all.length + 1,
      request_id: requestId,
      origin,
      state: 'running',
      ended_at_utc: null,
      outcome: null,
      exit_code: null,
      answer: null,
      usage: null,
      ...labels,
    };
    const named = { request_id: requestId ?? '', request_kind: kind, prompt_preview: prompt, ...labels };
    const record = {
      ...this.#example,
      ...named,
      ...(prompt === null ? { turn: null } : { ...running, turn }),
    };
    this.events.add(...(requestId === null ? [directPromptEvent(turn)] : acceptedEvents(record)));
    this.events.add(...(prompt === null ? [requestEndedEvent(record)] : turnBegunEvents(turn)));
    let over = prompt === null;
    const end = (how: End): void => {
      if (!over) this.#end(work, how);
      over = true;
      stop();
    };
    let stop: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const answered = prompt === null ? Promise.resolve() : this.#answer(prompt).then(end);
    const work: Work = {
      requestId,
      turnId,
      turn,
      record,
      ended: Promise.race([answered, stopped]),
      interrupt: () => end({ code: 'interrupted', detail: 'The turn was interrupted.' }),
    };
    this.all.push(work);
    return work;
  }

  /** Returns the answer, or the reason why there is none. */
  async #answer(prompt: string): Promise<End> {
    try {
      const agent = this.#agentNow();
      const given = typeof agent === 'function' ? await agent(prompt) : agent;
      return { text: given ?? this.#example.turn.answer?.text ?? '' };
    } catch (error) {
      return { code: 'agent_failed', detail: error instanceof Error ? error.message : String(error) };
    }
  }

  #end(work: Work, end: End): void {
    const { turn, finished_at_utc } = this.#example;
    const done = { state: 'ended', ended_at_utc: turn.ended_at_utc } as const;
    const error = 'detail' in end ? end : null;
    const answer = 'text' in end ? { text: end.text, truncated: false } : null;
    const state = error === null ? 'completed' : 'failed';
    const outcome = error?.code === 'interrupted' ? error.code : state;
    const exit_code = { completed: 0, failed: 1, interrupted: null }[outcome];
    work.turn = { ...work.turn, ...done, outcome, exit_code, error, answer };
    work.record = { ...work.record, state, finished_at_utc, error, turn: work.turn };
    this.events.add(
      turnEndedEvent(work.turn),
      work.requestId === null ? directPromptEndedEvent(work.turn) : requestEndedEvent(work.record),
    );
  }
}
