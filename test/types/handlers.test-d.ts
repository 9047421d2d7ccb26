// Compiled, never run: every line below a @ts-expect-error must not compile, all others must.

import type { HealthHandlers } from '../../generated/gateway/server/health-handlers.js';
import type { Handler, Handlers, RouteTable } from '../../generated/gateway/server/index.js';
import { routes } from '../../generated/gateway/server/routes.js';
import type { TurnsHandlers } from '../../generated/gateway/server/turns-handlers.js';
import type { components } from '../../generated/gateway/types.js';
import type { RecordError, RecordErrorCode } from '../../src/run/record-error.js';

declare const record: components['schemas']['RequestRecord'];
declare const accepted: components['schemas']['RequestAccepted'];
declare const all: Handlers;
const leaking = { ...record, password: 'x' };
const item = { type: 'missing', loc: ['body'], msg: 'Field required', input: null };

// A handler that is there, and answers as the contract says.
export const health: HealthHandlers = {
  getHealth: (_context, reply) => reply(200, { protocol_version: 'v1', status: 'ok' }),
};
export const submit: Handler<'submitRequest'> = ({ body, headers }, reply) => {
  const key: string | undefined = headers['Idempotency-Key'];
  const prompt: string | null = body.kind === 'submit_prompt' ? body.payload.prompt : null;
  if (key === prompt) return reply(422, { detail: [item] });
  return reply(202, accepted, { Location: '/v1/requests/x', 'Idempotency-Replayed': 'true' });
};
export const list: Handler<'listRequests'> = ({ query }, reply) =>
  query.limit === 1
    ? reply(422, { detail: [item] })
    : reply(200, { schema_version: 1, requests: [record], next_cursor: null });

// Missing handlers.
// @ts-expect-error a handler is missing
export const noHealth: HealthHandlers = {};
const { getTurn, ...withoutOne } = all;
// @ts-expect-error one of all handlers is missing
export const notAll: Handlers = withoutOne;
export const whole: Handlers = { ...withoutOne, getTurn };
// @ts-expect-error no operation has this name
export const more: TurnsHandlers = { getTurn, getWeather: getTurn };
// @ts-expect-error the handler of another operation
export const swapped: HealthHandlers = { getHealth: getTurn };

// Wrong statuses.
export const created: Handler<'getHealth'> = (_context, reply) =>
  // @ts-expect-error a status that the operation does not declare
  reply(201, { protocol_version: 'v1', status: 'ok' });
// @ts-expect-error 200 instead of 202
export const ok: Handler<'submitRequest'> = (_context, reply) => reply(200, accepted);
// @ts-expect-error a body under the status of another
export const mixed: Handler<'getRequest'> = (_context, reply) => reply(404, record);

// Fields.
// @ts-expect-error a missing field
export const half: Handler<'getHealth'> = (_context, reply) => reply(200, { status: 'ok' });
export const wrong: Handler<'getHealth'> = (_context, reply) =>
  // @ts-expect-error a wrong constant
  reply(200, { protocol_version: 'v2', status: 'ok' });
export const nothing: Handler<'getHealth'> = (_context, reply) =>
  // @ts-expect-error null where the contract has no null
  reply(200, { protocol_version: null, status: 'ok' });
// @ts-expect-error no body at all
export const empty: Handler<'getHealth'> = (_context, reply) => reply(200);
export const extra: Handler<'getHealth'> = (_context, reply) =>
  // @ts-expect-error an extra field
  reply(200, { protocol_version: 'v1', status: 'ok', uptime: 3 });
// @ts-expect-error an extra field of a value that is no literal
export const leak: Handler<'getRequest'> = (_context, reply) => reply(200, leaking);
export const nested: Handler<'listRequests'> = (_context, reply) =>
  // @ts-expect-error an extra field of an element of an array
  reply(200, { schema_version: 1, requests: [leaking], next_cursor: null });
export const deep: Handler<'getRequest'> = (_context, reply) =>
  // @ts-expect-error an extra field of an object in an object
  reply(200, { ...record, waiting_reason: { code: 'busy', detail: 'x', turn: 't' } });
export const items: Handler<'getTurn'> = (_context, reply) =>
  // @ts-expect-error an extra field of an element of an error
  reply(422, { detail: [{ ...item, url: 'x' }] });
// An open object takes what it likes.
export const open: Handler<'getTurn'> = (_context, reply) =>
  reply(422, { detail: [{ ...item, ctx: { any: 1 } }] });

// Headers.
export const headers: Handler<'submitRequest'> = (_context, reply) =>
  // @ts-expect-error a header that the answer does not declare
  reply(202, accepted, { 'X-Houmao-Turn-Id': 't' });
export const value: Handler<'submitRequest'> = (_context, reply) =>
  // @ts-expect-error a value that the header does not take
  reply(202, accepted, { 'Idempotency-Replayed': 'false' });
export const unread: Handler<'getHealth'> = ({ headers: received }, reply) => {
  // @ts-expect-error a header that the operation does not read
  received['Idempotency-Key'];
  return reply(200, { protocol_version: 'v1', status: 'ok' });
};

// Parameters.
export const parameters: Handler<'getTurn'> = ({ path, query, body }, reply) => {
  const id: string = path.turn_id;
  const seconds: number | undefined = query.wait_seconds;
  const none: undefined = body;
  // @ts-expect-error an unknown path parameter
  path.request_id;
  // @ts-expect-error an unknown query parameter
  query.limit;
  // @ts-expect-error a parameter of another type
  const wrongType: number = path.turn_id;
  return reply(404, { detail: `${id} ${seconds} ${none} ${wrongType}` });
};

// Only `reply` makes an answer.
// @ts-expect-error a bare object
export const bare: Handler<'getHealth'> = () => ({
  status: 200,
  body: { protocol_version: 'v1', status: 'ok' },
});
// @ts-expect-error the answer of another operation
export const foreign: Handler<'getStatus'> = (context, reply) => health.getHealth(context, reply);

// The route table.
const { getHealth, ...someRoutes } = routes;
// @ts-expect-error a route is missing
export const fewer: RouteTable = someRoutes;
// @ts-expect-error a path that the contract does not have
export const elsewhere: RouteTable = { ...someRoutes, getHealth: { ...getHealth, path: '/healthz' } };
// @ts-expect-error a header that the operation does not read
export const odd: RouteTable = { ...someRoutes, getHealth: { ...getHealth, headerParams: ['X-Verbose'] } };

// Error codes: the domain's and the contract's are the same.
type Codes = components['schemas']['RecordErrorCode'];
export const inContract = (code: RecordErrorCode): Codes => code;
export const inDomain = (code: Codes): RecordErrorCode => code;
// @ts-expect-error a code that the contract does not have
export const invented: RecordError = { code: 'tired', detail: 'x' };
