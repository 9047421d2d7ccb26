// A server to compare with. usage: node limit-server.mjs bare|stack; prints its port.
//   bare   node:http, reads the body, answers as the gateway would; nothing else
//   stack  the gateway's own express app, walls and validator, with a handler that touches no database
import { createServer } from 'node:http';
import { toSecondStamp } from '../../dist/src/foundation/clock.js';
import { requestIds } from '../../dist/src/foundation/ids.js';

const newId = requestIds();
const accepted = () => ({
  request_id: newId(new Date()),
  request_kind: 'submit_prompt',
  state: 'accepted',
  accepted_at_utc: toSecondStamp(new Date()),
  queue_depth: 1,
  managed_agent_instance_epoch: 1,
});

if (process.argv[2] === 'stack') console.log((await stackServer()).port);
else {
  const server = bareServer();
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}
process.once('SIGTERM', () => process.exit(0));

function bareServer() {
  return createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString());
      const body = JSON.stringify(accepted());
      response.writeHead(chunks.length > 0 ? 202 : 200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    });
  });
}

async function stackServer() {
  const { bindSurface } = await import('../../dist/src/http/surface.js');
  const { gatewaySurface } = await import('../../dist/src/gateway/process/gateway-process.js');
  const { loadCached } = await import('../../dist/src/foundation/cached-script.js');
  const refuse = (_context, reply) => reply(501, { detail: 'only here to be compared with' });
  const handlers = Object.fromEntries(Object.keys(gatewaySurface.routes).map((id) => [id, refuse]));
  handlers.submitRequest = (_context, reply) => {
    const body = accepted();
    return reply(202, body, { Location: `/v1/requests/${body.request_id}` });
  };
  const surface = await bindSurface(gatewaySurface, {
    host: '127.0.0.1',
    port: 0,
    maxConnections: null,
    callers: { token: 'unused', users: new Set([process.getuid()]) },
    admitted: { hosts: new Set(), origins: new Set() },
    strictAnswers: false,
    load: (path) => loadCached(path),
    report: (fault) => console.error(fault),
  });
  surface.answerWith(handlers, null);
  return surface;
}
