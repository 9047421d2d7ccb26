/** How much a JSON text may hold, whatever its length. */
export interface ShapeLimits {
  /** Objects, arrays, and every value that follows a comma. */
  values: number;
  /** The depth of nested objects and arrays. */
  depth: number;
}

export type ShapeTrouble = 'too many values' | 'too deep';

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;

/**
 * Counts the values of a JSON text while it arrives. Parsing and validating a body takes time by its values, not by its
 * bytes: one megabyte of small values blocked every other caller for half a second, sixteen megabytes for twelve
 * seconds.
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

  /** @returns which limit is exceeded, as soon as it is. Whether the text is JSON is not checked here. */
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
