import type { IncomingMessage } from 'node:http';

/** The bytes of a body, or why there are none. `gone`: the caller went away, nobody waits for an answer. */
export type ReadBody = Buffer | 'too large' | 'gone';

/**
 * Reads a body of at most `limit` bytes. One that is larger is known at once and need not arrive: what still comes is
 * thrown away while the answer is under way, so that the caller gets to read it.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<ReadBody> {
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    request.resume();
    return Promise.resolve('too large');
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else resolve('too large');
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', () => resolve('gone'));
    request.on('close', () => resolve('gone'));
  });
}
