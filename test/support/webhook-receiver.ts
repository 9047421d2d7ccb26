import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call that a receiver got. */
export interface ReceivedCall {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebhookReceiver {
  readonly url: string;
  readonly calls: ReceivedCall[];
  /** The types of the messages that it got, in their order. */
  types(): string[];
  /** Answers each later call. */
  answer(with_: (response: ServerResponse, call: ReceivedCall) => void): void;
  close(): Promise<void>;
}

/** A receiver of webhooks, which answers 204 until it is given another answer. */
export async function startReceiver(): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = [];
  let respond = (response: ServerResponse, _call: ReceivedCall): void => void response.writeHead(204).end();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = { headers: request.headers, body: Buffer.concat(chunks).toString() };
      calls.push(call);
      respond(response, call);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    calls,
    types: () => calls.map(({ body }) => JSON.parse(body).type),
    answer: (with_) => {
      respond = with_;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
