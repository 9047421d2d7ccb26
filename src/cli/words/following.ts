import type { Schemas } from '@houmao/sdk';
import type { LiveLine } from './live-line.js';
import { elapsedWords, standing, turnStanding } from './progress-words.js';
import { announce } from './request-words.js';
import type { Output } from './terminal-output.js';
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
  readonly #asked: 'gateway' | 'server';
  readonly #line: LiveLine | null;
  #isSilent = false;

  /**
   * @param name the agent, as the operator named it
   * @param server the flag that leads to the same server, with a blank before it; empty where none is needed
   */
  constructor(output: Output, name: string, asked: 'gateway' | 'server', server = '') {
    this.#output = output;
    this.#name = name;
    this.#server = server;
    this.#asked = asked;
    this.#line = output.liveLine();
  }

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
    if (!this.#isSilent) this.#output.progress(`The ${this.#asked} gives no answer; waiting goes on.`);
    this.#isSilent = true;
    this.#show(`no answer of the ${this.#asked} for ${elapsedWords(forMs)}`);
  };

  /** No more is told. */
  end(): void {
    this.#line?.end();
  }

  #show(how: string): void {
    this.#line?.show((elapsedMs) => `… ${how}, ${elapsedWords(elapsedMs)}`);
  }
}
