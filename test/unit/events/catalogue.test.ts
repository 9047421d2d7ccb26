import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { catalogue } from '../../../src/events/catalogue.js';
import type { StoredEvent } from '../../../src/events/event-table.js';
import { readEvent } from '../../../src/events/read-event.js';
import { runtimeDocument } from '../../../src/http/contract/runtime-document.js';

const bundle = JSON.parse(
  readFileSync(new URL('../../../generated/gateway/openapi.json', import.meta.url), 'utf8'),
);
const kinds = Object.keys(catalogue);
const at = '2026-03-13T00:00:00+00:00';
const stored = (kind: string, data_json: string): StoredEvent => ({
  seq: 1,
  at_utc: at,
  kind,
  subject_id: null,
  data_json,
});

// The contract as answers are held against it.
const ajv = new Ajv2020({ strict: false, discriminator: true, allErrors: true, validateFormats: false });
ajv.addSchema({ $id: 'c', components: (runtimeDocument(bundle) as { components: object }).components });
const fitsContract = ajv.compile({ $ref: 'c#/components/schemas/GatewayEvent' });
const served = (event: StoredEvent) => {
  const read = readEvent(event);
  expect([read, fitsContract(read) ? null : fitsContract.errors]).toEqual([read, null]);
  return read;
};

/** A value of a kind for every name that any event has, and words of all enumerations. */
const names = [...new Set(Object.values(catalogue).flatMap(({ fields }) => Object.keys(fields)))];
const words = [...JSON.stringify(bundle.components.schemas).matchAll(/"enum":(\[[^\]]*\])/g)]
  .flatMap(([, list]) => JSON.parse(list ?? '[]') as unknown[])
  .filter((word) => typeof word === 'string');
const value = fc.oneof(
  fc.string(),
  fc.constantFrom(...words),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 }),
  fc.record({ mode: fc.constantFrom('new', 'exact', 'old'), id: fc.oneof(fc.string(), fc.constant(1)) }),
  fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
);

test('the contract has the kinds of the catalogue, and one for what is not in it', () => {
  const { mapping } = bundle.components.schemas.GatewayEvent.discriminator;
  expect(Object.keys(mapping).sort()).toEqual([...kinds, 'other'].sort());
});

test('every kind of the contract has a sentence', () => {
  for (const reference of Object.values<string>(bundle.components.schemas.GatewayEvent.discriminator.mapping))
    expect(bundle.components.schemas[reference.split('/').at(-1) ?? ''].description).toMatch(
      /^[A-Z`].{10,}\.$/,
    );
});

test('whatever a row holds, the event that comes of it is one of the contract', () => {
  const fitting = new Set<string>();
  const data = fc.tuple(fc.constantFrom(...kinds), fc.dictionary(fc.constantFrom(...names), value));
  fc.assert(
    fc.property(data, ([kind, row]) => {
      const read = served(stored(kind, JSON.stringify(row)));
      if (read.kind === kind) fitting.add(kind);
    }),
    { numRuns: 20_000 },
  );
  fc.assert(
    fc.property(fc.string(), fc.oneof(fc.json(), fc.string()), (kind, json) => {
      served(stored(kind, json));
      served(stored('failed', json));
    }),
    { numRuns: 2000 },
  );
  expect(fitting.has('gateway_stopping')).toBe(true);
});

test('each field of a kind decides: of fitting data one that is off makes it another', () => {
  // Every value that a field takes, found by trying.
  const samples = fc.sample(value, { numRuns: 3000, seed: 7 });
  for (const [kind, { fields, shown }] of Object.entries(catalogue)) {
    const data: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(fields)) {
      const is = typeof field === 'function' ? field : field.later;
      const fine = samples.find(is);
      expect([kind, name, fine === undefined]).toEqual([kind, name, false]);
      data[name] = fine;
    }
    expect(served(stored(kind, JSON.stringify(data)))).toMatchObject({ kind, data: shown ?? data });
    for (const [name, field] of Object.entries(fields)) {
      const { [name]: _gone, ...less } = data;
      const later = typeof field !== 'function';
      expect([kind, name, served(stored(kind, JSON.stringify(less))).kind]).toEqual([
        kind,
        name,
        later ? kind : 'other',
      ]);
      const wrong = { ...data, [name]: { not: ['this'] } };
      if (name !== 'result_json') expect(served(stored(kind, JSON.stringify(wrong))).kind).toBe('other');
    }
    // Newer versions may store more.
    expect(served(stored(kind, JSON.stringify({ ...data, surplus: 1 }))).kind).toBe(kind);
  }
});

test('a kind that this version does not know is reported as such; only fields that are for callers are shown', () => {
  expect(readEvent(stored('comet', '{"path":"/etc"}')).data).toEqual({ kind: 'comet', fields: null });
  expect(readEvent(stored('toString', '{}')).data).toEqual({ kind: 'toString', fields: null });
  expect(readEvent(stored('failed', '{"request_id":"a"}')).data).toEqual({
    kind: 'failed',
    fields: { request_id: 'a' },
  });
  expect(readEvent(stored('failed', 'no JSON')).data).toEqual({ kind: 'failed', fields: null });
});

test('what a fault was is for operators', () => {
  const detail = 'The gateway hit an internal error; gateway.log has it.';
  expect(readEvent(stored('fault', '{"detail":"/root/secret: at x.js:1"}')).data).toEqual({ detail });
  expect(readEvent(stored('fault', '{"details":"/root/secret"}')).data).toEqual({
    kind: 'fault',
    fields: { detail },
  });
});
