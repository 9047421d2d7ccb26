import { once } from 'node:events';
import type { StreamedText } from '../../contract/streamed-text.js';
import type { SurfaceResponse } from '../server/messages.js';

/**
 * Sends a text as fast as its caller reads it.
 * @throws what reading it said, and when it is shorter than was told: the caller then has to see that it broke off.
 */
export async function sendText(
  status: number,
  { length, source }: StreamedText,
  headers: Readonly<Record<string, unknown>>,
  response: SurfaceResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort();
    source.destroy();
  });
  for (const name in headers)
    if (headers[name] !== undefined) response.setHeader(name, String(headers[name]));
  response.setHeader('Content-Length', length);
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  let sent = 0;
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    sent += chunk.length;
    if (!response.write(chunk)) await once(response, 'drain', { signal: gone.signal });
  }
  if (sent !== length) throw new Error(`a text of ${length} bytes ended after ${sent}`);
  response.end();
}
