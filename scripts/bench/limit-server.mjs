// A server to compare with. usage: node limit-server.mjs bare|stack; prints its port.
//   bare   node:http, reads the body, answers as the gateway would; nothing else
//   stack  the gateway's own express app, walls and validator, with a handler that touches no database
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { newRequestId } from '../../dist/src/foundation/ids.js';
import { toSecondStamp } from '../../dist/src/foundation/timestamps.js';

const accepted = () => ({
  request_id: newRequestId(new Date()),
  request_kind: 'submit_prompt',
  state: 'accepted',
  accepted_at_utc: toSecondStamp(new Date()),
  queue_depth: 1,
  managed_agent_instance_epoch: 1,
});

const server = process.argv[2] === 'stack' ? await stackServer() : bareServer();
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.once('SIGTERM', () => process.exit(0));

function bareServer() {
  return createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString());
      const body = JSON.stringify(accepted());
      response.writeHead(202, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    });
  });
}

async function stackServer() {
  const { surfaceApp } = await import('../../dist/src/http/app.js');
  const { contractWalls } = await import('../../dist/src/http/contract-walls.js');
  const { createHttpServer } = await import('../../dist/src/http/server.js');
  const { CallerWall } = await import('../../dist/src/http/walls/caller-wall.js');
  const { linuxSocketTables } = await import('../../dist/src/http/walls/socket-owner.js');
  const { routes } = await import('../../dist/generated/gateway/server/routes.js');
  const { compiledValidators } = await import('../../dist/src/http/compiled-validators.js');
  const validators = compiledValidators(
    fileURLToPath(new URL('../../dist/validators/gateway.cjs', import.meta.url)),
  );
  const document = JSON.parse(
    readFileSync(new URL('../../generated/gateway/openapi.json', import.meta.url), 'utf8'),
  );
  const report = (fault) => console.error(fault);
  const refuse = (_context, reply) => reply(501, { detail: 'only here to be compared with' });
  const handlers = Object.fromEntries(Object.keys(routes).map((operationId) => [operationId, refuse]));
  handlers.submitRequest = (_context, reply) => {
    const body = accepted();
    return reply(202, body, { Location: `/v1/requests/${body.request_id}` });
  };
  const isOurs = (path) => path === '/health' || path.startsWith('/v1/');
  const contract = contractWalls(document, isOurs, { kind: 'report', report }, validators);
  const callers = new CallerWall(
    { token: 'unused', users: new Set([process.getuid()]) },
    linuxSocketTables(),
  );
  const app = surfaceApp(
    {
      title: 'limit',
      document,
      routes,
      handlers,
      bodyLimit: () => 1024 * 1024,
    },
    {
      allowedHosts: new Set(),
      allowedOrigins: new Set(),
      report,
      caller: callers.handler,
      observer: null,
      contract,
    },
  );
  const server = createHttpServer(app);
  callers.watch(server);
  return server;
}
