import { isUtf8 } from 'node:buffer';

/**
 * Decodes UTF-8 while it arrives: sixteen megabytes at once would block every other caller. Bytes that are not UTF-8
 * are refused, not replaced.
 */
export class Utf8Text {
  #text = '';
  /** The beginning of a character whose end has not arrived yet. */
  #rest: Buffer = Buffer.alloc(0);

  /** @returns false when these bytes are not UTF-8; {@link text} is then what came before. */
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

/** Without the mark that some editors put before a text. */
export const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/** How many bytes there are until the last character that has begun and not ended. */
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

/** How many bytes are UTF-8 before the first that are not. */
function goodBytes(bytes: Buffer): number {
  let [good, bad] = [0, bytes.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isUtf8(bytes.subarray(0, wholeCharacters(bytes.subarray(0, middle))))) good = middle;
    else bad = middle;
  }
  return wholeCharacters(bytes.subarray(0, good));
}
