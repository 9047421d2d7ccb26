import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The way to a server, on which things get lost as a test says. */
export interface LossyWay {
  jmapUrl: string;
  /** Loses the next request with that text in it: it never arrives, or its answer is lost. */
  lose(what: 'request' | 'answer', text: string): void;
  /** From now on a caller that shows that credential learns that it is not valid. */
  refuse(secret: string): void;
}

export async function lossyWay(jmapUrl: string): Promise<LossyWay> {
  const { origin, pathname } = new URL(jmapUrl);
  let loss: { what: 'request' | 'answer'; text: string } | null = null;
  const refused = new Set<string>();
  const server = createServer((request, answer) => void pass(request, answer));
  async function pass(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const lost = loss !== null && body.includes(loss.text) ? loss.what : null;
    if (lost !== null) loss = null;
    if (lost === 'request') return void answer.destroy();
    const { authorization, 'content-type': type } = request.headers;
    if ([...refused].some((secret) => authorization?.endsWith(secret)))
      return void answer.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    const passed = await fetch(`${origin}${request.url}`, {
      method: request.method ?? 'GET',
      redirect: 'manual',
      headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
      ...(body.length > 0 && { body }),
    });
    const bytes = Buffer.from(await passed.arrayBuffer());
    if (lost === 'answer') return void answer.destroy();
    const location = passed.headers.get('location');
    answer.writeHead(passed.status, {
      'content-type': passed.headers.get('content-type') ?? 'application/json',
      ...(location && { location: location.replace(origin, '') }),
    });
    answer.end(bytes);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    jmapUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    lose: (what, text) => {
      loss = { what, text };
    },
    refuse: (secret) => void refused.add(secret),
  };
}
