import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { BodyShape, type ShapeLimits, type ShapeTrouble } from './body-shape.js';
import { Utf8Text, withoutMark } from './utf8-text.js';

export interface BodyLimits extends ShapeLimits {
  bytes: number;
}

/**
 * The text of a body, or why there is none. `gone`: the caller went away and waits for no answer. `at`: how many
 * characters were read before the trouble.
 */
export type ReadBody = { text: string } | { trouble: Trouble; at: number } | 'gone';
type Trouble = 'too large' | 'not UTF-8' | ShapeTrouble;

/**
 * Reads a body within its limits. One that breaks them is known at once and need not arrive: what still comes is thrown
 * away while the answer is under way, so that the caller gets to read it.
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

/** Most bodies come in one piece. */
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

/** @param first what came already. */
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
