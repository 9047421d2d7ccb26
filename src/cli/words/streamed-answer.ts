import type { Schemas } from '@houmao/sdk';
import { isCallError } from '../../protocols/agent-work.js';
import { questionRows } from './screen-words.js';
import type { Output } from './terminal-output.js';

type TurnPart = Schemas['TurnPart'];

/** Shows a turn to people while it runs: the agent's text as the result, and what it does meanwhile as progress. */
export class ShownTurn {
  readonly #output: Output;
  /** The message that is shown last; null before the first one. */
  #message: string | null = null;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Shows a part; a kind that this version does not know is left out. */
  show(part: TurnPart): void {
    switch (part.kind) {
      case 'text': {
        const { text, position } = part.data;
        const isNew = position !== 'continues';
        if (isNew && this.#message !== null) this.#output.endText();
        this.#message = isNew ? text : (this.#message ?? '') + text;
        this.#output.text(text);
        break;
      }
      case 'tool_use':
        this.#output.progress(`${part.data.name}${part.data.summary}`);
        break;
      case 'tool_result':
        if (part.data.is_error === true) this.#output.progress(`  failed: ${part.data.summary}`);
        break;
      case 'notice':
        this.#output.progress(part.data.text);
        break;
      case 'gap':
        this.#output.progress(part.data.detail);
        break;
      case 'ended':
        this.#output.endText();
    }
  }

  /** Returns whether the text that stands there now is this answer. */
  shows(answer: string): boolean {
    return this.#message !== null && this.#message.trim() === answer.trim();
  }
}

/** Prints the question of an agent to a person. @param answer the command that answers it */
export function showQuestion(
  part: Extract<TurnPart, { kind: 'dialog_shown' }>,
  answer: string,
  output: Output,
): void {
  const rows = questionRows(part.data.text, output.progressWidth);
  output.progress(
    ['It waits for a person to answer:', ...rows, output.pastable(`Answer it: ${answer}`)].join('\n'),
  );
}

/** The time for the end of the stream after the end of its turn. */
const lastPartsMilliseconds = 2000;

/**
 * Shows the answer to a prompt while it is produced, on a terminal; the answer itself comes with the end of the work. Where the
 * stream cannot be read, as at an older gateway, nothing is shown before that.
 */
export class AnswerStream {
  readonly #output: Output;
  readonly #shown: ShownTurn;
  readonly #over = new AbortController();
  #reading: Promise<void> | null = null;

  constructor(output: Output) {
    this.#output = output;
    this.#shown = new ShownTurn(output);
  }

  /**
   * Begins to read, once.
   * @param delivered called when the delivery got further, so that this is shown before the text.
   */
  begin(
    stream: (options: { signal: AbortSignal }) => AsyncIterable<TurnPart>,
    delivered: () => Promise<void>,
  ): void {
    if (this.#reading !== null || !this.#output.showsText) return;
    this.#reading = this.#read(stream({ signal: this.#over.signal }), delivered);
  }

  /** Waits for the last parts. @returns the lines of the answer that are not shown yet. */
  async rest(answer: string): Promise<string[]> {
    const timer = setTimeout(() => this.#over.abort(), lastPartsMilliseconds);
    await this.#reading;
    clearTimeout(timer);
    this.#output.endText();
    return this.#shown.shows(answer) ? [] : [answer];
  }

  /** Ends the reading. */
  end(): void {
    this.#over.abort();
    this.#output.endText();
  }

  async #read(parts: AsyncIterable<TurnPart>, delivered: () => Promise<void>): Promise<void> {
    try {
      for await (const part of parts) {
        if (part.kind === 'delivery') await delivered();
        this.#shown.show(part);
      }
    } catch (error) {
      if (!isCallError(error)) throw error;
    }
  }
}
