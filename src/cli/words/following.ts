import type { Schemas } from '@houmao/sdk';
import type { LiveLine } from './live-line.js';
import { elapsedWords, standing, turnStanding } from './progress-words.js';
import { reasonWords } from './reason-words.js';
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
