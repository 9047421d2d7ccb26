import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

export interface BodyLimits extends ShapeLimits {
  bytes: number;
}

/**
 * The text of a body, or the reason why there is none. `gone`: the caller went away and waits for no answer. `at`: the number
 * of characters that were read before the trouble.
 */
export type ReadBody = { text: string } | { trouble: Trouble; at: number } | 'gone';
type Trouble = 'too large' | 'not UTF-8' | ShapeTrouble;

/**
 * Reads a body within its limits. A body that breaks them is refused at once: the bytes that still arrive are discarded while
 * the answer is sent, so that the caller can read it.
 * @param done called once.
 */
export function readBody(request: IncomingMessage, limits: BodyLimits, done: (body: ReadBody) => void): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.bytes) {
    request.resume();
    done({ trouble: 'too large', at: 0 });
  } else if (announced > 0) readFirst(request, limits, announced, done);
  else readParts(request, limits, null, done);
}

/** Reads a body of known length, which mostly comes in one piece. */
function readFirst(
  request: IncomingMessage,
  limits: BodyLimits,
  announced: number,
  done: (body: ReadBody) => void,
): void {
  const gone = (): void => done('gone');
  request.once('close', gone);
  request.once('data', (chunk: Buffer) => {
    request.off('close', gone);
    if (chunk.length === announced && isUtf8(chunk)) done(readWhole(chunk, limits));
    else readParts(request, limits, chunk, done);
  });
}

function readWhole(chunk: Buffer, limits: BodyLimits): ReadBody {
  const text = chunk.toString('utf8');
  const trouble = new BodyShape(limits).feed(chunk);
  return trouble === null ? { text: withoutMark(text) } : { trouble, at: text.length };
}

/** @param first the bytes that have arrived already. */
function readParts(
  request: IncomingMessage,
  limits: BodyLimits,
  first: Buffer | null,
  done: (body: ReadBody) => void,
): void {
  const decoder = new Utf8Text();
  const shape = new BodyShape(limits);
  let size = 0;
  let settled = false;
  const settle = (body: ReadBody): void => {
    if (settled) return;
    settled = true;
    done(body);
  };
  const troubleIn = (chunk: Buffer): Trouble | null => {
    size += chunk.length;
    if (size > limits.bytes) return 'too large';
    if (!decoder.push(chunk)) return 'not UTF-8';
    return shape.feed(chunk);
  };
  const take = (chunk: Buffer): void => {
    if (settled) return;
    const trouble = troubleIn(chunk);
    if (trouble !== null) settle({ trouble, at: decoder.text.length });
  };
  if (first) take(first);
  request.on('data', take);
  request.on('end', () =>
    settle(decoder.end() ? { text: decoder.text } : { trouble: 'not UTF-8', at: decoder.text.length }),
  );
  request.on('error', () => settle('gone'));
  request.on('close', () => settle('gone'));
}

/**
 * Decodes UTF-8 while it arrives: decoding sixteen megabytes at once would block every other caller. Bytes that are not UTF-8
 * are refused, not replaced.
 */
export class Utf8Text {
  #text = '';
  /** The beginning of a character whose end has not arrived yet. */
  #rest: Buffer = Buffer.alloc(0);

  /** @returns false when these bytes are not UTF-8; {@link text} is then the text before them. */
  push(chunk: Buffer): boolean {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    const end = wholeCharacters(bytes);
    const good = this.#append(bytes.subarray(0, end));
    this.#rest = bytes.subarray(end);
    return good;
  }

  /** @returns false when the last character is incomplete. */
  end(): boolean {
    return this.#rest.length === 0;
  }

  get text(): string {
    return withoutMark(this.#text);
  }

  #append(bytes: Buffer): boolean {
    const good = isUtf8(bytes);
    this.#text += (good ? bytes : bytes.subarray(0, goodBytes(bytes))).toString('utf8');
    return good;
  }
}

/** Returns the text without the byte order mark that some editors write at its beginning. */
const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/** Returns the number of bytes before an incomplete last character. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Returns the number of bytes that are UTF-8 before the first that are not. */
function goodBytes(bytes: Buffer): number {
  let [good, bad] = [0, bytes.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isUtf8(bytes.subarray(0, wholeCharacters(bytes.subarray(0, middle))))) good = middle;
    else bad = middle;
  }
  return wholeCharacters(bytes.subarray(0, good));
}

/** The most that a JSON text may hold, whatever its length. */
interface ShapeLimits {
  /** The number of objects, arrays, and values that follow a comma. */
  values: number;
  /** The depth of nested objects and arrays. */
  depth: number;
}

export type ShapeTrouble = 'too many values' | 'too deep';

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;

/**
 * Counts the values of a JSON text while it arrives. The time to parse and validate a body depends on its values, not on its
 * bytes: one megabyte of small values blocked every other caller for half a second, sixteen megabytes for twelve seconds.
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

  /** @returns the limit that is exceeded, as soon as it is. Whether the text is JSON is not checked here. */
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
