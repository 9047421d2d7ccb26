import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express, { type RequestHandler } from 'express';
import type { Json } from '../contract/runtime-document.js';
import { createHttpServer } from './server.js';

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, Media> };
  parameters?: Json[];
  responses: Record<string, { content?: Record<string, Media> }>;
}
interface Media {
  example?: Json;
  examples?: Record<string, { value: Json }>;
}
/** Each takes two file descriptors, and there may be few. */
const atOnce = 8;
const methods = ['get', 'put', 'post', 'delete'] as const;

/**
 * Sends every operation's own example through the walls once, to handlers that answer with the contract's own example:
 * express-openapi-validator compiles lazily, and one bad schema would otherwise be a 500 at run time. Nothing real is
 * behind it: a socket of its own, no live handler (decision 56).
 * @throws Error naming every operation whose own examples do not pass its own schema.
 */
export async function warmUp(document: Json, walls: readonly RequestHandler[]): Promise<void> {
  const paths = (document as unknown as { paths: Record<string, Record<string, Operation>> }).paths;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => (item[method] ? [{ path, method, operation: item[method] }] : [])),
  );
  const answers = new Map(operations.map(({ operation }) => [operation.operationId, successOf(operation)]));
  const app = express();
  app.use(express.json({ limit: '16mb' }), ...walls);
  app.use((incoming, response) => {
    const { operationId = '' } =
      (incoming as { openapi?: { schema?: { operationId?: string } } }).openapi?.schema ?? {};
    const answer = answers.get(operationId);
    if (!answer) return void response.status(404).end();
    response.status(answer.status).json(answer.body);
  });
  app.use(((error: Error & { errors?: unknown }, _request, response, _next) => {
    response.status(500).end(`${error.message} ${JSON.stringify(error.errors ?? '')}`);
  }) satisfies express.ErrorRequestHandler);
  const folder = mkdtempSync(join(tmpdir(), 'houmao-warm-'));
  const socketPath = join(folder, 's');
  const server = createHttpServer(app);
  try {
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    const bad: string[] = [];
    for (let first = 0; first < operations.length; first += atOnce) {
      const some = operations.slice(first, first + atOnce);
      const failures = await Promise.all(some.map((one) => warm(socketPath, one)));
      bad.push(...failures.filter((failure) => failure !== null));
    }
    if (bad.length > 0) throw new Error(`The contract contradicts itself:\n${bad.join('\n')}`);
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  }
}

function successOf(operation: Operation): { status: number; body: Json } {
  const [status = '200', response] =
    Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
  return { status: Number(status), body: exampleOf(response?.content?.['application/json']) };
}

const exampleOf = (media: Media | undefined): Json =>
  media?.example ?? Object.values(media?.examples ?? {})[0]?.value ?? null;

async function warm(
  socketPath: string,
  one: { path: string; method: string; operation: Operation },
): Promise<string | null> {
  const body = one.operation.requestBody
    ? JSON.stringify(exampleOf(one.operation.requestBody.content['application/json']))
    : null;
  const path = one.path.replace(/\{[^}]+\}/g, 'x');
  const { status, text } = await send(socketPath, one.method.toUpperCase(), path, body);
  return status < 300 ? null : `${one.operation.operationId}: ${status} ${text}`;
}

function send(
  socketPath: string,
  method: string,
  path: string,
  body: string | null,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers =
      body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request(
      { socketPath, method, path, headers: { host: 'localhost', ...headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    call.on('error', reject);
    call.end(body ?? undefined);
  });
}
