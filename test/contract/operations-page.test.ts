import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { catalogue } from '../../src/events/catalogue.js';
import { bundle } from './support/bundle.js';

const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
const { schemas } = bundle.components;
const codesIn = (text: string): string[] => [...text.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code!);

test('the operations page speaks of every reason to wait and every code of a failure', () => {
  const waiting: string[] = schemas.WaitingReason.properties.code.enum;
  const failing: string[] = schemas.RecordErrorCode.enum;
  const reported = new Set(codesIn(page));
  expect(waiting.length + failing.length).toBeGreaterThan(20);
  expect([...waiting, ...failing].filter((code) => !reported.has(code))).toEqual([]);
});

test('the operations page has every kind of event, with the sentence of the contract and its level', () => {
  const { mapping } = schemas.GatewayEvent.discriminator;
  const wanted = Object.entries(catalogue).map(([kind, { log }]) => [
    `\`${kind}\``,
    schemas[mapping[kind].split('/').at(-1)].description,
    log?.level ?? '',
  ]);
  const [, table = ''] = page.split('| kind | what happened | log |\n|---|---|---|\n');
  const rows = table.split('\n\n')[0]!.split('\n');
  expect(
    rows.map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ),
  ).toEqual(wanted);
});
