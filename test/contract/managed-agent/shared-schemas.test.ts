import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { routes } from '../../../generated/managed-agent/server/routes.js';
import { bundleOf, bundle as gateway, operationsIn, type Part } from '../support/bundle.js';

const bundle = bundleOf('managed-agent');

describe('the operations', () => {
  const operations = operationsIn(bundle);

  test('are all in the generated table', () => {
    const table = Object.entries(routes).map(([id, { method, path }]) => `${id} ${method} ${path}`);
    const contract = operations.map(({ operationId, method, path }) => `${operationId} ${method} ${path}`);
    expect(table.sort()).toEqual(contract.sort());
  });

  test('answer 200, 201 for what was made, 202 for a fleet’s, 206 for a part of a text, and 204 for a stream that was read', () => {
    const also: Readonly<Record<string, string>> = {
      submitGatewayRequest: '202',
      getTurnStdout: '206',
      getTurnStderr: '206',
      streamTurn: '204',
      streamGatewayTurn: '204',
    };
    for (const { operationId, statuses } of operations) {
      const successes = statuses.filter((status) => status.startsWith('2'));
      const expected =
        operationId === 'createNotification' ? ['201'] : ['200', also[operationId] ?? []].flat();
      expect([operationId, successes]).toEqual([operationId, expected]);
    }
  });
});

describe('the schemas of both surfaces', () => {
  const components = new URL('../../../openapi/components/', import.meta.url);
  const own: Part = bundle.components.schemas;
  const both = { ...gateway.components.schemas, ...own };
  const written = readdirSync(components)
    // Answers, parameters, formats and the meanings of error codes are no schemas.
    .filter((file) => !/responses\.yaml$|^(?:parameters|formats|error-codes)\.yaml$/.test(file))
    .flatMap((file) => Object.keys(parse(readFileSync(new URL(file, components), 'utf8')) as object));

  test('are each written once, and each in use', () => {
    expect(written.sort()).toEqual(Object.keys(both).sort());
  });

  test.each([gateway, bundle])(
    'have names that no parameter has: oapi-codegen makes types of both',
    (one: Part) => {
      const parameters = Object.keys(one.components.parameters);
      expect(parameters.length).toBeGreaterThan(10);
      expect(parameters.filter((name) => name in one.components.schemas)).toEqual([]);
    },
  );

  test('are the same in both documents where both have them', () => {
    const shared = Object.keys(own).filter((name) => name in gateway.components.schemas);
    expect(shared.length).toBeGreaterThan(60);
    for (const name of shared) expect([name, own[name]]).toEqual([name, gateway.components.schemas[name]]);
  });

  test('say nothing of the server that the gateway says under another name', () => {
    const textOf = (schema: Part) =>
      JSON.stringify(schema, (key, value) => (key === 'description' ? undefined : value));
    const gateways = Object.entries<Part>(gateway.components.schemas)
      .filter(([, { type }]) => type === 'object')
      .map(([name, schema]) => [textOf(schema), name] as const);
    const said = new Map(gateways);
    const again = Object.entries<Part>(own)
      .filter(([name]) => !(name in gateway.components.schemas))
      .flatMap(([name, schema]) =>
        said.has(textOf(schema)) ? `${name} is ${said.get(textOf(schema))}` : [],
      );
    expect([again, said.size > 60]).toEqual([[], true]);
  });
});
