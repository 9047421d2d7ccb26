import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundle } from '../../contract/support/bundle.js';

const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
const { schemas } = bundle.components;
const codesIn = (text: string): string[] => [...text.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code!);

test('the operations page speaks of every reason to wait and every code of a failure', () => {
  const waiting: string[] = schemas.WaitingReason.properties.code.enum;
  const failing = codesIn(schemas.RecordError.properties.code.description);
  const told = new Set(codesIn(page));
  expect(waiting.length + failing.length).toBeGreaterThan(20);
  expect([...waiting, ...failing].filter((code) => !told.has(code))).toEqual([]);
});
