import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CallFault, type FleetAnswer, type FleetCall } from './caller.js';

/** The headers of a request that describe its connection or its caller: the other host has its own. */
const notPassed: ReadonlySet<string> = new Set([
  ...['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'authorization'],
  ...['origin', 'referer', 'cookie', 'expect', 'upgrade', 'te', 'trailer', 'accept-encoding'],
]);
/** A browser's statement about a page of this server. */
const ofBrowser = 'sec-';

/** Pure: returns the headers of a request that reach the other host. */
export function passedHeaders(headers: IncomingMessage['headers']): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && !notPassed.has(name) && !name.startsWith(ofBrowser))
      passed[name] = value;
  return passed;
}

/** The headers of an answer that this host gives itself. */
const own: ReadonlySet<string> = new Set(['x-request-id', 'x-content-type-options', 'cache-control', 'vary']);

/** A request is larger than the calls of this API may be. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Reads the body of a request. @throws {TooLarge} */
async function bodyOf(request: IncomingMessage, longest: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    length += (part as Buffer).length;
    if (length > longest) throw new TooLarge();
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

/**
 * Passes a request to another host, and its answer to the caller as it comes, with status, headers and body.
 * @param path the path with its query, in which the agent may have another name than in the request.
 * @param call makes the call.
 * @throws {CallFault} when no answer began, {@link TooLarge}. An answer that breaks off breaks off for the caller too.
 */
export async function passRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { path, longest, signal }: { path: string; longest: number; signal: AbortSignal },
  call: (asked: FleetCall) => Promise<FleetAnswer>,
): Promise<void> {
  const body = await bodyOf(request, longest);
  const { method = 'GET', headers } = request;
  const answer = await call({ method, path, headers: passedHeaders(headers), body, signal });
  for (const [name, value] of Object.entries(answer.headers))
    if (!own.has(name)) response.setHeader(name, value);
  response.writeHead(answer.status);
  response.flushHeaders();
  try {
    for await (const part of answer.body)
      if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    response.end();
  } catch (error) {
    if (!(error instanceof CallFault)) throw error;
    response.destroy();
  }
}
