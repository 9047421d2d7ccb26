import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

const gate = new URL('../../../../scripts/gate/', import.meta.url).href;
const { affectedParts, table } = (await import(`${gate}affected.mjs`)) as {
  affectedParts(paths: string[]): Set<string>;
  table: [prefix: string, parts: string[]][];
};
const { parts } = (await import(`${gate}parts.mjs`)) as { parts(seed: string): { name: string }[] };

test('the table names parts that there are, and places that there are', () => {
  const names = parts('1').map(({ name }) => name);
  expect(table.flatMap(([, affected]) => affected).filter((name) => !names.includes(name))).toEqual([]);
  const isThere = (prefix: string) =>
    existsSync(prefix) || existsSync(`${prefix}.mjs`) || existsSync(`${prefix}.json`);
  expect(table.map(([prefix]) => prefix).filter((prefix) => !isThere(prefix))).toEqual([]);
});

test('each room of src/ has a row', () => {
  const rooms = readdirSync('src').map((name) => `src/${name}/`);
  expect(rooms.filter((room) => !table.some(([prefix]) => room.startsWith(prefix)))).toEqual([]);
});

test('a change affects the parts of each place that it touches', () => {
  expect([...affectedParts(['test/agents/a.test.ts', 'test/clients/run.mjs'])]).toEqual([
    'agents',
    'clients',
  ]);
  expect(affectedParts(['test/unit/a.test.ts', 'CHANGELOG.md']).size).toBe(0);
});

test('a change that the table does not know affects every part', () => {
  expect(affectedParts(['biome.json']).size).toBe(new Set(table.flatMap(([, affected]) => affected)).size);
});
