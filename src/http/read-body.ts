import type { IncomingMessage } from 'node:http';
import { BodyShape, type ShapeLimits, type ShapeTrouble } from './body-shape.js';
import { Utf8Text } from './utf8-text.js';

export interface BodyLimits extends ShapeLimits {
  bytes: number;
}

/**
 * The text of a body, or why there is none. `gone`: the caller went away, nobody waits for an answer.
 * `at`: how many characters came before the trouble, as far as they were read.
 */
export type ReadBody =
  | { text: string }
  | { trouble: 'too large' | 'not UTF-8' | ShapeTrouble; at: number }
  | 'gone';

/**
 * Reads a body within its limits. One that breaks them is known at once and need not arrive: what still comes is thrown
 * away while the answer is under way, so that the caller gets to read it.
 */
export function readBody(request: IncomingMessage, limits: BodyLimits): Promise<ReadBody> {
  if (Number(request.headers['content-length'] ?? 0) > limits.bytes) {
    request.resume();
    return Promise.resolve({ trouble: 'too large', at: 0 });
  }
  return new Promise((resolve) => {
    const decoder = new Utf8Text();
    const shape = new BodyShape(limits);
    let size = 0;
    let broken = false;
    const take = (chunk: Buffer): Exclude<ReadBody, 'gone' | { text: string }>['trouble'] | null => {
      size += chunk.length;
      if (size > limits.bytes) return 'too large';
      if (!decoder.push(chunk)) return 'not UTF-8';
      return shape.feed(chunk);
    };
    request.on('data', (chunk: Buffer) => {
      if (broken) return;
      const trouble = take(chunk);
      if (trouble === null) return;
      broken = true;
      resolve({ trouble, at: decoder.text.length });
    });
    request.on('end', () =>
      resolve(decoder.end() ? { text: decoder.text } : { trouble: 'not UTF-8', at: decoder.text.length }),
    );
    request.on('error', () => resolve('gone'));
    request.on('close', () => resolve('gone'));
  });
}
