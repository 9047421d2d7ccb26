/** A message of a program to its terminal: ESC ] code ; text, ended by BEL or ESC \. */
export interface OscSequence {
  code: number;
  text: string;
}

/** The number of bytes up to which a sequence is read; a longer one is skipped. */
const longestSequence = 8192;
const escapeByte = 0x1b;
const bell = 0x07;
const openBracket = 0x5d;
const backslash = 0x5c;

/**
 * Finds OSC sequences in the output of a program, wherever its chunks are cut.
 *
 * plain ──ESC──▶ escaped ──]──▶ inside ──BEL──▶ plain
 *                                 └──ESC──▶ ending ──\──▶ plain; anything else: it was cut short, and the ESC begins another
 */
export class OscSequences {
  #state: 'plain' | 'escaped' | 'inside' | 'ending' = 'plain';
  #bytes: number[] = [];

  /** Whether an unfinished sequence has begun. */
  get inside(): boolean {
    return this.#state !== 'plain';
  }

  take(output: Uint8Array): OscSequence[] {
    const found: OscSequence[] = [];
    for (const byte of output) {
      const sequence = this.#step(byte);
      if (sequence !== null) found.push(sequence);
    }
    return found;
  }

  #step(byte: number): OscSequence | null {
    if (this.#state === 'inside') return this.#inside(byte);
    if (this.#state === 'ending' && byte === backslash) return this.#finish();
    if (this.#state !== 'plain' && byte === openBracket) {
      this.#state = 'inside';
      this.#bytes = [];
    } else this.#state = byte === escapeByte ? 'escaped' : 'plain';
    return null;
  }

  #inside(byte: number): OscSequence | null {
    if (byte === bell) return this.#finish();
    if (byte === escapeByte) this.#state = 'ending';
    else if (this.#bytes.length < longestSequence) this.#bytes.push(byte);
    else this.#state = 'plain';
    return null;
  }

  #finish(): OscSequence | null {
    this.#state = 'plain';
    const whole = Buffer.from(this.#bytes).toString('utf8');
    const parts = /^(\d{1,9})(?:;([\s\S]*))?$/.exec(whole);
    return parts?.[1] === undefined ? null : { code: Number(parts[1]), text: parts[2] ?? '' };
  }
}
