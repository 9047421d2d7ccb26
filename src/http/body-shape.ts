/** How much a JSON text may hold, whatever its length. */
export interface ShapeLimits {
  /** Objects, arrays and what stands behind a comma. */
  values: number;
  /** Objects and arrays within each other. */
  depth: number;
}

export type ShapeTrouble = 'too many values' | 'too deep';

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;

/**
 * Counts what a JSON text is made of while it arrives. Reading and checking a body costs by its values, not by its bytes:
 * a megabyte of small ones kept every other caller waiting for half a second, sixteen of them for twelve.
 */
export class BodyShape {
  readonly #limits: ShapeLimits;
  #values = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor(limits: ShapeLimits) {
    this.#limits = limits;
  }

  /** @returns what is too much, as soon as it is; whether the text is JSON at all is not looked at. */
  feed(bytes: Uint8Array): ShapeTrouble | null {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#inString = false;
      } else if (byte === quote) this.#inString = true;
      else if (byte === comma) this.#values += 1;
      else if (byte === 0x5b || byte === 0x7b) {
        this.#values += 1;
        this.#depth += 1;
        if (this.#depth > this.#limits.depth) return 'too deep';
      } else if (byte === 0x5d || byte === 0x7d) this.#depth -= 1;
      if (this.#values > this.#limits.values) return 'too many values';
    }
    return null;
  }
}
