import { expect, test } from 'vitest';
import gatewayDocument from '../../../generated/gateway/openapi.json' with { type: 'json' };
import { operations as gatewayOperations } from '../../../generated/gateway/server/operations.js';
import document from '../../../generated/managed-agent/openapi.json' with { type: 'json' };
import { managedLocation } from '../../../src/server/forwarding/managed-location.js';

// biome-ignore lint/suspicious/noExplicitAny: a part of a document has any shape.
type Part = any;

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly part: Part;
}

const operationsOf = (paths: Part): Operation[] =>
  Object.entries<Part>(paths).flatMap(([path, methods]) =>
    Object.entries<Part>(methods).map(([method, part]) => ({ path, method, part })),
  );

const gateway = new Map(
  operationsOf(gatewayDocument.paths).map((one) => [one.part.operationId as string, one]),
);
const passed = operationsOf(document.paths)
  .filter(({ part }) => part['x-houmao-gateway-operation'] !== undefined)
  .map((one) => [one.part.operationId as string, one] as const);

/** A part of a document without references: what two documents say can be compared. */
function whole(root: Part, part: Part): Part {
  if (Array.isArray(part)) return part.map((one) => whole(root, one));
  if (part === null || typeof part !== 'object') return part;
  if (typeof part.$ref === 'string')
    return whole(
      root,
      part.$ref
        .slice(2)
        .split('/')
        .reduce((at: Part, key: string) => at[key], root),
    );
  // The names of components are each document's own.
  return Object.fromEntries(
    Object.entries(part)
      .filter(([key]) => key !== 'mapping')
      .map(([key, one]) => [key, whole(root, one)]),
  );
}

const schemaOf = (root: Part, media: Part): Part =>
  whole(root, media?.content?.['application/json']?.schema ?? null);

test('every operation of a gateway but its health and its figures can be reached through the server', () => {
  const reached = new Set(passed.map(([, { part }]) => part['x-houmao-gateway-operation']));
  expect(Object.keys(gatewayOperations).filter((id) => !reached.has(id))).toEqual([
    'getHealth',
    'getMetrics',
  ]);
});

test.each(passed)(
  '%s has the shapes, the method and the place of the gateway’s own',
  (id, { path, method, part }) => {
    const own = gateway.get(part['x-houmao-gateway-operation']);
    if (!own) throw new Error(`${id} names an operation that the gateway does not have`);
    expect(method).toBe(own.method);
    if (id !== 'getAgentGateway')
      expect(path).toBe(managedLocation(own.path, 'alpha')?.replace('/alpha/', '/{agent_ref}/'));
    expect(schemaOf(document, part.requestBody)).toEqual(schemaOf(gatewayDocument, own.part.requestBody));
    const success = own.part.responses['200'] ?? own.part.responses['202'];
    expect(schemaOf(document, part.responses['200'])).toEqual(schemaOf(gatewayDocument, success));
    expect(Object.keys(part.responses['200'].headers ?? {})).toEqual(Object.keys(success.headers ?? {}));
    const statuses = (one: Part): string[] => Object.keys(one.responses).filter((status) => status !== '202');
    expect(statuses(part)).toEqual(expect.arrayContaining(statuses(own.part)));
    // Where an agent is, and until when a prompt may go there, is the server's.
    const parameters = (root: Part, one: Part) =>
      whole(root, one.parameters ?? []).filter(
        ({ name }: Part) => name !== 'agent_ref' && name !== 'X-Houmao-Deadline',
      );
    expect(parameters(document, part)).toEqual(parameters(gatewayDocument, own.part));
  },
);
