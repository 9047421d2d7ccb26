import { once } from 'node:events';
import type { EventStream, ServerSentEvent } from '../../contract/event-stream.js';
import type { StreamedText } from '../../contract/handler-types.js';
import type { OperationChecks } from '../contract/contract-checks.js';
import type { SurfaceResponse } from '../server/server.js';

/**
 * Sends a text as fast as its caller reads it.
 * @throws the error of reading it, or an error when it is shorter than announced: the caller must then see that it broke off.
 */
export async function sendText(
  status: number,
  { length, source, type }: StreamedText,
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
  response.writeHead(status, { 'Content-Type': type });
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

/** The text of a page of events, which all readers of one stream share. It was checked when it was made. */
const eventTexts = new WeakMap<object, string>();

/**
 * Sends events as they come. A reader that stops reading holds back its own stream and no other.
 * @throws the error of making them, or of a page that breaks the contract: the caller must then see that the stream broke off.
 */
export async function sendEvents(
  checks: Pick<OperationChecks, 'answer'>,
  status: number,
  stream: EventStream<unknown>,
  headers: Readonly<Record<string, unknown>>,
  response: SurfaceResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const enough = AbortSignal.any([gone.signal, response.waitSignal]);
  for (const name in headers)
    if (headers[name] !== undefined) response.setHeader(name, String(headers[name]));
  // Proxies that collect an answer before they pass it on know this header.
  response.setHeader('X-Accel-Buffering', 'no');
  response.writeHead(status, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  response.flushHeaders();
  for await (const page of stream.pages) {
    const key = page as object;
    let text = eventTexts.get(key);
    if (text === undefined) {
      checks.answer(status, page);
      text = stream.eventsOf(page).map(eventText).join('') || ':\n\n';
      eventTexts.set(key, text);
    }
    if (enough.aborted) break;
    if (!response.write(text)) await once(response, 'drain', { signal: enough }).catch(() => undefined);
  }
  response.end();
}

const eventText = ({ id, event, data }: ServerSentEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
