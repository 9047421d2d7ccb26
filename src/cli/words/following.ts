import { isGatewayError, type Schemas } from '@houmao/sdk';
import { isHoumaoError } from '@houmao/sdk/managed-agent';
import type { Clock } from '../../foundation/clock.js';
import { askedOfPerson, reasonWords } from './obstacle-words.js';
import { announce } from './request-words.js';
import { questionRows } from './screen-words.js';
import type { LiveLine, Output } from './terminal-output.js';
import { announceTurn } from './turn-words.js';

type RequestRecord = Schemas['RequestRecord'];
type TurnRecord = Schemas['TurnRecord'];
interface Silence {
  readonly forMs: number;
}

/**
 * Tells people of work while it is waited for: each step once in a line that stays, and on a terminal in a last line that moves. Knows
 * what was seen last.
 */
export class Following {
  request: RequestRecord | null = null;
  turn: TurnRecord | null = null;
  readonly #output: Output;
  readonly #name: string;
  readonly #server: string;
  readonly #source: 'gateway' | 'server';
  readonly #line: LiveLine | null;
  #isSilent = false;
  #asked: string | null = null;

  /**
   * @param name the agent, as the operator named it
   * @param server the flag that leads to the same server, with a blank before it; empty where none is needed
   */
  constructor(output: Output, name: string, asked: 'gateway' | 'server', server = '') {
    this.#output = output;
    this.#name = name;
    this.#server = server;
    this.#source = asked;
    this.#line = output.liveLine();
  }

  /** The turn that is waited for, when it was last seen to run. */
  get runningTurn(): string | null {
    const turn = this.turn ?? this.request?.turn;
    return turn?.state === 'running' ? turn.turn_id : null;
  }

  /** A gateway's sentence about the request that waits, with this program's words for the reason. */
  readonly inWords = (text: string): string => {
    const reason = this.request?.waiting_reason;
    if (!reason) return text;
    return text.replaceAll(reason.detail, () => reasonWords(reason, this.#name, this.#server));
  };

  /** Is told the request by each look at it. */
  readonly onRequest = (request: RequestRecord, silence: Silence | null): void => {
    // `onSilence` is told of the same one.
    if (silence) return;
    this.#isSilent = false;
    announce(this.request, request, this.#name, this.#server, this.#output);
    this.request = request;
    this.#show(standing(request));
  };

  /** The same of a turn. */
  readonly onTurn = (turn: TurnRecord, silence: Silence | null): void => {
    // `onSilence` is told of the same one.
    if (silence) return;
    this.#isSilent = false;
    announceTurn(this.turn, turn, this.#output);
    this.turn = turn;
    this.#show(turnStanding(turn));
  };

  readonly onSilence = ({ forMs }: Silence): void => {
    if (!this.#isSilent) this.#output.progress(`The ${this.#source} does not answer; still waiting.`);
    this.#isSilent = true;
    this.#show(`no answer from the ${this.#source} for ${elapsedWords(forMs)}`);
  };

  /** Is told by each look at its screen what the agent asks a person; null while it asks nothing. */
  readonly onQuestion = (asked: string | null): void => {
    if (asked === this.#asked) return;
    this.#asked = asked;
    if (asked === null) return;
    this.#output.progress(
      [
        `${this.#name} waits for a person to answer:`,
        ...questionRows(asked, this.#output.progressWidth),
        this.#output.pastable(`Answer it: houmao-mgr agents answer ${this.#name}${this.#server}`),
      ].join('\n'),
    );
    this.#show('waits for a person');
  };

  /** No more is told. */
  end(): void {
    this.#line?.end();
  }

  #show(how: string): void {
    this.#line?.show((elapsedMs) => `… ${how}, ${elapsedWords(elapsedMs)}`);
  }
}

/** `0:07`, `12:34`, `1:02:03`. */
export function elapsedWords(elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1000);
  const two = (part: number): string => String(part).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const clock = hours === 0 ? String(minutes) : `${hours}:${two(minutes)}`;
  return `${clock}:${two(seconds % 60)}`;
}

/** How a request that is waited for stands, in a word or two. */
export function standing({ state, turn, queue_position }: Schemas['RequestRecord']): string {
  if (turn?.state === 'running') return turnStanding(turn);
  if (state !== 'accepted') return state === 'running' ? 'starting' : state;
  return queue_position === null ? 'waiting' : `waiting, place ${queue_position + 1} in the queue`;
}

/** The same of a turn. */
const turnStanding = ({ state, delivery }: Pick<Schemas['TurnRecord'], 'state' | 'delivery'>): string => {
  if (state !== 'running') return state;
  return delivery.state === 'confirmed' ? 'running' : `running, prompt ${delivery.state.replace('_', ' ')}`;
};

const lookMilliseconds = 2000;

/**
 * Waits for work, and tells the questions to a person that the agent's screen shows meanwhile: its turn runs on under them.
 * @param look at its screen; null for an agent that is known to have none. Where it is refused, it is not asked again.
 */
export async function whileAsked<T>(
  look: (() => Promise<Schemas['TerminalState']>) | null,
  following: Following,
  work: Promise<T>,
  clock: Clock,
): Promise<T> {
  if (look === null) return work;
  const over = new AbortController();
  const looking = (async () => {
    for (;;) {
      await clock.sleep(lookMilliseconds, over.signal);
      if (over.signal.aborted) return;
      try {
        const state = await look();
        if (!over.signal.aborted) following.onQuestion(askedOfPerson(state));
      } catch (error) {
        if (!isGatewayError(error) && !isHoumaoError(error)) throw error;
        if (error.status === 422) return;
      }
    }
  })();
  // A fault of ours is thrown once the work is over, not while nobody waits for it.
  looking.catch(() => undefined);
  try {
    return await work;
  } finally {
    over.abort();
    await looking;
  }
}
