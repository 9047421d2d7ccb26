import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { bundleOf, operationsIn, type Part } from './support/bundle.js';

const folder = mkdtempSync(join(tmpdir(), 'houmao-contract-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  for (const name of ['openapi', 'redocly.yaml', 'scripts/contract-plugin'])
    cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
});

function edit(file: string, from: string, to: string): void {
  const path = join(folder, 'openapi', file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}
function redocly(...args: string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(resolve('node_modules/.bin/redocly'), args, {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}

/** Each breaks one rule, none hides another: one run of the linter, which takes seconds, sees them all. */
const planted: readonly [what: string, plant: () => void, says: RegExp][] = [
  [
    'an example in a file of its own that breaks its schema',
    () => edit('examples/requests.yaml', 'state: accepted', 'state: acepted'),
    /Example value must conform to the schema: `state` property must be equal to one of the allowed values/,
  ],
  [
    'one inside another',
    () => edit('examples/requests.yaml', 'outcome: completed', 'outcom: completed'),
    /`turn` property must have required property 'outcome'/,
  ],
  [
    'one of a response that every operation shares',
    () => edit('components/responses.yaml', 'example: { detail: Request Timeout }', 'example: { text: x }'),
    /must have required property 'detail'/,
  ],
  [
    'an error code that nobody explains',
    () => edit('components/error-codes.yaml', 'unknown_turn:', 'unknown_tern:'),
    /The error code unknown_turn has no sentence/,
  ],
  [
    'an operation that does not say whether it may be repeated',
    () => edit('gateway/health.yaml', 'x-houmao-retry: safe', 'x-houmao-addition: true'),
    /getHealth needs x-houmao-retry: safe, keyed, never; it has none/,
  ],
  [
    'one that says it in a word of its own',
    () => edit('gateway/metrics.yaml', 'x-houmao-retry: safe', 'x-houmao-retry: always'),
    /getMetrics needs x-houmao-retry: safe, keyed, never; it has always/,
  ],
  [
    'one that takes a key and is not keyed',
    () => edit('gateway/requests.yaml', 'x-houmao-retry: keyed', 'x-houmao-retry: never'),
    /submitRequest takes an Idempotency-Key, so its x-houmao-retry is keyed/,
  ],
  [
    'one that is keyed and takes no key',
    () => edit('gateway/headless.yaml', 'x-houmao-retry: never', 'x-houmao-retry: keyed'),
    /\w+ is keyed, so it takes an Idempotency-Key/,
  ],
  [
    'one that only reads and may not be repeated',
    () => edit('gateway/events.yaml', 'x-houmao-retry: safe', 'x-houmao-retry: never'),
    /listEvents only reads, so its x-houmao-retry is safe/,
  ],
  [
    'a bound that generators take for a boolean',
    () => edit('components/mail-notifier.yaml', 'minimum: 0', 'exclusiveMinimum: 0'),
    /minimum: 0 with not/,
  ],
];
let linted: ReturnType<typeof redocly> | null = null;
function lintPlanted(): ReturnType<typeof redocly> {
  for (const [, plant] of planted) plant();
  return redocly('lint', 'openapi/gateway.yaml', '--max-problems', '1000');
}

test.each(planted)('the linter refuses %s', (_what, _plant, says) => {
  linted ??= lintPlanted();
  expect([linted.status, linted.said]).toEqual([1, expect.stringMatching(says)]);
});

test('an example that is not there is named', () => {
  edit('gateway/health.yaml', 'status.yaml#/Alive', 'status.yaml#/Gone');
  const { status, said } = redocly('lint', 'openapi/gateway.yaml');
  expect(status).not.toBe(0);
  expect(said).toMatch(/refers to the example Gone, which .*status\.yaml does not have/);
});

test('an operation keeps a shared status that it declares itself', () => {
  edit(
    'gateway/health.yaml',
    "'422':",
    "'401': { $ref: '../components/responses.yaml#/NoRequest' }\n      '422':",
  );
  expect(redocly('bundle', 'openapi/gateway.yaml', '-o', 'bundle.json').status).toBe(0);
  const { paths } = JSON.parse(readFileSync(join(folder, 'bundle.json'), 'utf8'));
  const { responses } = paths['/health'].get;
  expect(responses['401']).toEqual({ $ref: '#/components/responses/NoRequest' });
  expect(responses['403']).toEqual({ $ref: '#/components/responses/CallerRefused' });
  expect(Object.keys(responses)).not.toContain('415');
  expect(Object.keys(paths['/v1/requests'].post.responses)).toContain('415');
});

test('a value of several types, but for null, is an anyOf: Go has no type for a list of them', () => {
  const schemas = (node: Part): Part[] =>
    node === null || typeof node !== 'object'
      ? []
      : [...(Array.isArray(node.type) ? [node] : []), ...Object.values(node).flatMap(schemas)];
  const unions = ['gateway', 'managed-agent'].flatMap((surface) => schemas(bundleOf(surface)));
  expect(unions.length).toBeGreaterThan(100);
  expect(unions.filter(({ type }) => type.length !== 2 || !type.includes('null'))).toEqual([]);
});

test('every example stands somewhere', () => {
  const read = (name: string) => readFileSync(join('openapi', name), 'utf8');
  const names = readdirSync('openapi', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yaml'),
  );
  const all = names.map(read).join('\n');
  const unused = names
    .filter((name) => name.startsWith('examples/'))
    .flatMap((name) => Object.keys(parse(read(name), { merge: true })).map((key) => [name, key]))
    .filter(
      ([name, key]) => !all.includes(`../${name}#/${key}' }`) && !read(name!).includes(`$ref: '#/${key}' }`),
    );
  expect(unused).toEqual([]);
});

test('the linter refuses a workflow that breaks the rules of Arazzo', () => {
  edit('workflows/prompt-and-wait.yaml', 'stepId: wait', 'stepId: queue');
  const { status, said } = redocly('lint', 'openapi/workflows/prompt-and-wait.yaml');
  expect([status, said]).toEqual([1, expect.stringMatching(/stepId.*must be unique/)]);
});

test('each workflow is named by the surface of which it has operations', () => {
  const named = ['gateway', 'managed-agent'].flatMap((surface) => {
    const contract = bundleOf(surface);
    const known = operationsIn(contract).map(({ operationId }) => operationId);
    return (contract.info['x-houmao-workflows'] as string[]).map((name) => {
      const { sourceDescriptions, workflows } = parse(readFileSync(`openapi/workflows/${name}.yaml`, 'utf8'));
      expect(sourceDescriptions[0].url).toBe(`../../generated/${surface}/openapi.json`);
      for (const { operationId } of workflows[0].steps) expect(known).toContain(operationId);
      expect(workflows[0].workflowId).toBe(name);
      return `${name}.yaml`;
    });
  });
  expect(named.sort()).toEqual(readdirSync('openapi/workflows').sort());
});
