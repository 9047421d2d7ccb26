// The checks that the build compiles for the fakes are held against those of a gateway and a server: they may not differ.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ContractOperation, FakeContract } from '../../../../sdk/src/testing/fake-contract.js';
import { ContractChecks } from '../../../../src/http/contract/contract-checks.js';
import { compilesAll, prepareContract } from '../../../../src/http/contract/prepared-contract.js';
import type { SurfaceRequest } from '../../../../src/http/server/server.js';

const project = new URL('../../../../', import.meta.url);
const surfaces = ['gateway', 'managed-agent'];

/** A value, and what becomes of it when one thing in it is left out, added, or of another type. */
function* variants(value: unknown): Generator<unknown> {
  yield value;
  if (Array.isArray(value) || typeof value !== 'object' || value === null) {
    for (const other of [null, 'x', '', 7, -1, 0.5, true, [], {}]) yield other;
    return;
  }
  yield { ...value, surplus: 1 };
  for (const [key, inner] of Object.entries(value)) {
    const { [key as never]: _, ...others } = value;
    yield others;
    for (const variant of variants(inner)) yield { ...others, [key]: variant };
  }
}

const fits = (check: () => void): boolean => {
  try {
    check();
    return true;
  } catch {
    return false;
  }
};

describe.each(await Promise.all(surfaces.map(readSurface)))('$name', ({ document, operations }) => {
  const checks = new ContractChecks(prepareContract(document), { kind: 'throw' }, compilesAll);
  const paths = (JSON.parse(document) as { paths: Paths }).paths;

  test('every operation of the contract is there, and every example of an answer fits its check', () => {
    const ids = Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap(({ operationId }) => operationId ?? []),
    );
    expect(operations.map(([operationId]) => operationId).sort()).toEqual(ids.sort());
    const examples = operations.flatMap(([, { answers }]) =>
      Object.values(answers).flatMap(({ examples, check }) => examples.map((example) => check?.(example))),
    );
    expect(examples.length).toBeGreaterThan(400);
    expect(new Set(examples)).toEqual(new Set([true]));
  });

  test.each(operations)(
    '%s: bodies and answers are judged as the program judges them',
    (_operationId, operation) => {
      const { method, path, bodyCheck, answers } = operation;
      const own = checks.operation(method, path);
      const differences: unknown[] = [];
      for (const [status, { type, check, headers, examples }] of Object.entries(answers)) {
        // An answer without a body has nothing to check.
        if (type === null) continue;
        // The walls of the program answer these, before any operation is asked.
        if (Number(status) >= 500 || ['403', '408', '413', '415', '421', '431'].includes(status)) continue;
        for (const variant of variants(examples[0])) {
          // No answer that has a body is without one.
          if (variant === null) continue;
          // Of a text, which is streamed, the program checks the head.
          const theirs =
            type === 'text/plain'
              ? typeof variant === 'string' && fits(() => own.text(Number(status), headers))
              : fits(() => own.answer(Number(status), variant));
          if (check?.(variant) !== theirs) differences.push({ status, variant, theirs });
        }
      }
      for (const variant of bodyCheck ? variants(bodyExample(paths, operation)) : []) {
        const theirs = fits(() => own.request(requestOf(path, variant)));
        if (bodyCheck?.(variant) !== theirs) differences.push({ body: variant, theirs });
      }
      expect(differences).toEqual([]);
    },
  );
});

async function readSurface(name: string) {
  const document = readFileSync(new URL(`generated/${name}/openapi.json`, project), 'utf8');
  const module = new URL(`sdk-testing/dist/${name}.cjs`, project);
  const contract = ((await import(module.href)) as { default: FakeContract }).default;
  return { name, document, operations: Object.entries(contract) };
}

interface BodyContent {
  readonly example?: unknown;
  readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Operation {
  readonly operationId?: string;
  readonly requestBody?: { readonly content: { readonly 'application/json': BodyContent } };
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

function bodyExample(paths: Paths, { path, method }: ContractOperation): unknown {
  const { example, examples } = paths[path]![method.toLowerCase()]!.requestBody!.content['application/json'];
  return example ?? Object.values(examples)[0]!.value;
}

function requestOf(path: string, body: unknown): SurfaceRequest {
  const params = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, 'x']));
  const request = { originalUrl: path, path, query: {}, params, headers: {}, body: structuredClone(body) };
  return request as unknown as SurfaceRequest;
}
