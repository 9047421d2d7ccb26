// The limits to compare with, each a server of its own: `stack` is the gateway's whole HTTP stack with handlers that touch
// no database, `node` is bare node:http. Prints its port and serves until it is killed.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { routes } from '../../dist/generated/gateway/server/routes.js';
import { surfaceApp } from '../../dist/src/http/app.js';
import { createHttpServer, listen } from '../../dist/src/http/server.js';
import { warmUp } from '../../dist/src/http/warm-up.js';

const accepted = {
  request_id: 'gwreq-20260313-000000Z-deadbeef',
  request_kind: 'submit_prompt',
  state: 'accepted',
  accepted_at_utc: '2026-03-13T00:00:00+00:00',
  queue_depth: 1,
  managed_agent_instance_epoch: 1,
};

async function stackServer() {
  const document = JSON.parse(readFileSync('generated/gateway/openapi.json', 'utf8'));
  const handlers = Object.fromEntries(
    Object.keys(routes).map((id) => [
      id,
      async (_context, reply) => reply(202, accepted, { Location: `/v1/requests/${accepted.request_id}` }),
    ]),
  );
  const { app, walls } = surfaceApp(
    {
      title: 'limit',
      document,
      routes,
      handlers,
      isOurs: (path) => path.startsWith('/v1/') || path === '/health',
      bodyLimit: () => 1024 * 1024,
    },
    {
      allowedHosts: new Set(),
      allowedOrigins: new Set(),
      responses: { kind: 'report', report: console.error },
      report: console.error,
    },
  );
  await warmUp(document, walls);
  return createHttpServer(app);
}

const nodeServer = () =>
  createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      JSON.parse(text || '{}');
      response.writeHead(202, { 'content-type': 'application/json' });
      response.end(JSON.stringify(accepted));
    });
  });

const server = process.argv[2] === 'node' ? nodeServer() : await stackServer();
console.log(`http://127.0.0.1:${await listen(server, '127.0.0.1', 0)} `);
