import type { Schemas } from '@houmao/sdk';
import { askedOfPerson } from '../../contract/agent-standing.js';
import type { Clock } from '../../foundation/clock.js';
import { isCallError, waitingWords } from '../../protocols/agent-work.js';
import type { LiveLine } from './live-line.js';
import { reasonWords } from './obstacle-words.js';
import { announce } from './request-words.js';
import { questionRows } from './screen-words.js';
import type { Output } from './terminal-output.js';
import { announceTurn } from './turn-words.js';

type RequestRecord = Schemas['RequestRecord'];
type TurnRecord = Schemas['TurnRecord'];
interface Silence {
  readonly forMs: number;
}

/**
 * Shows the progress of work to people: each step once in a line that stays, and on a terminal in a last line that moves. Keeps
 * the state that was observed last.
 */
export class ProgressDisplay {
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
   * @param server the flag that leads to the same server, with a blank before it; empty when none is needed
   */
  constructor(output: Output, name: string, asked: 'gateway' | 'server', server = '') {
    this.#output = output;
    this.#name = name;
    this.#server = server;
    this.#source = asked;
    this.#line = output.liveLine();
  }

  /** The awaited turn, if it ran at the last check. */
  get runningTurn(): string | null {
    const turn = this.turn ?? this.request?.turn;
    return turn?.state === 'running' ? turn.turn_id : null;
  }

  /** Replaces the gateway's reason in a sentence about the waiting request by this program's words. */
  readonly inWords = (text: string): string => {
    const reason = this.request?.waiting_reason;
    if (!reason) return text;
    return text.replaceAll(reason.detail, () => reasonWords(reason, this.#name, this.#server));
  };

  /** Called with the request after each check. */
  readonly onRequest = (request: RequestRecord, silence: Silence | null): void => {
    // `onSilence` is called for the same silence.
    if (silence) return;
    this.#isSilent = false;
    announce(this.request, request, this.#name, this.#server, this.#output);
    this.request = request;
    this.#show(standing(request));
  };

  /** Called with the turn after each check. */
  readonly onTurn = (turn: TurnRecord, silence: Silence | null): void => {
    // `onSilence` is called for the same silence.
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

  /** Called after each check of the screen with the agent's question to a person; null when there is none. */
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

  /** Ends the display. */
  end(): void {
    this.#line?.end();
  }

  #show(how: string): void {
    this.#line?.show((elapsedMs) => `… ${how}, ${elapsedWords(elapsedMs)}`);
  }
}

/** Prints a time such as `0:07`, `12:34` or `1:02:03`. */
export function elapsedWords(elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1000);
  const two = (part: number): string => String(part).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const clock = hours === 0 ? String(minutes) : `${hours}:${two(minutes)}`;
  return `${clock}:${two(seconds % 60)}`;
}

/** Describes the state of an awaited request in a word or two. */
export function standing(request: Schemas['RequestRecord']): string {
  const { state, turn } = request;
  if (turn?.state === 'running') return turnStanding(turn);
  if (state !== 'accepted') return state === 'running' ? 'starting' : state;
  return waitingWords(request);
}

/** Describes the state of a turn in a word or two. */
const turnStanding = ({ state, delivery }: Pick<Schemas['TurnRecord'], 'state' | 'delivery'>): string => {
  if (state !== 'running') return state;
  return delivery.state === 'confirmed' ? 'running' : `running, prompt ${delivery.state.replace('_', ' ')}`;
};

const lookMilliseconds = 2000;

/**
 * Waits for work, and meanwhile reports the questions to a person that the agent's screen shows, since the turn runs on while
 * they are open.
 * @param look reads its screen; null for an agent that is known to have none. After a refusal it is not called again.
 */
export async function whileAsked<T>(
  look: (() => Promise<Schemas['TerminalState']>) | null,
  following: ProgressDisplay,
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
        if (!isCallError(error)) throw error;
        if (error.status === 422) return;
      }
    }
  })();
  // A fault of ours is thrown after the work has ended, not while it is unhandled.
  looking.catch(() => undefined);
  try {
    return await work;
  } finally {
    over.abort();
    await looking;
  }
}
