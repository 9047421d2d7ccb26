import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Record<string, unknown>;
  events: string[];
  links: { traceId: string; spanId: string }[];
  /** 2 for an error. */
  status: number;
  /** Of its resource. */
  service: string;
  resource: Record<string, unknown>;
}

/** An OTLP receiver over HTTP that keeps every span it gets as JSON. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** The paths that were called, and with which type of body. */
  readonly calls: string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.calls.push(`${request.method} ${request.url} ${request.headers['content-type']}`);
        this.#take(JSON.parse(Buffer.concat(chunks).toString()));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  /** @param port 0 takes any. */
  static async start(port = 0): Promise<TraceCollector> {
    const collector = new TraceCollector();
    await new Promise<void>((resolve) => collector.#server.listen(port, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  named(name: string): CollectedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  // biome-ignore lint/suspicious/noExplicitAny: the body is as OTLP has it.
  #take(body: any): void {
    for (const { resource, scopeSpans } of body.resourceSpans)
      for (const { spans } of scopeSpans)
        for (const span of spans) {
          const about = valuesOf(resource.attributes);
          this.spans.push({
            ...span,
            attributes: valuesOf(span.attributes),
            events: (span.events ?? []).map(({ name }: { name: string }) => name),
            links: span.links ?? [],
            status: span.status?.code ?? 0,
            service: about['service.name'] as string,
            resource: about,
          });
        }
  }
}

type Attribute = { key: string; value: Record<string, unknown> };
const valuesOf = (attributes: readonly Attribute[] = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
