import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Stands before a mail server that tells of no changes by itself (Cyrus IMAP 3.6.1 does not), passes everything on, and tells of a
 * change the moment that it is asked to: the cost of a push without the pause that servers make before they report.
 */
export async function pushFront(jmapUrl) {
  const { origin, pathname } = new URL(jmapUrl);
  const streams = new Set();
  const server = createServer((request, answer) => {
    if (request.url.startsWith('/push')) {
      answer.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      streams.add(answer);
      answer.once('close', () => streams.delete(answer));
      server.emit('stream');
    } else void pass(request, answer).catch(() => answer.destroy());
  });

  async function pass(request, answer) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { authorization, 'content-type': type } = request.headers;
    const passed = await fetch(`${origin}${request.url}`, {
      method: request.method,
      redirect: 'manual',
      // Or each answer would wait for an acknowledgement (src/mail/jmap/client/exchange.ts).
      headers: { authorization, connection: 'close', ...(type && { 'content-type': type }) },
      ...(parts.length > 0 && { body: Buffer.concat(parts) }),
    });
    const text = await passed.text();
    const location = passed.headers.get('location');
    answer.writeHead(passed.status, {
      'content-type': passed.headers.get('content-type') ?? 'application/json',
      ...(location && { location: location.replace(origin, '') }),
    });
    answer.end(text.replace(/"eventSourceUrl":\s*"[^"]*"/, '"eventSourceUrl":"/push"'));
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    jmapUrl: `http://127.0.0.1:${server.address().port}${pathname}`,
    /** Resolves when somebody listens. */
    open: async () => {
      if (streams.size === 0) await once(server, 'stream');
    },
    tell: () => {
      for (const stream of streams) stream.write('event: state\ndata: {"@type":"StateChange"}\n\n');
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
