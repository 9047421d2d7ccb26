import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Step {
  name: string;
  command: string[];
  budget: number;
}
interface Part {
  name: string;
  whole: Step[];
  slice: Step[];
}
const script = new URL('../../../../scripts/gate/parts.mjs', import.meta.url).href;
const { parts } = (await import(script)) as { parts(seed: string): Part[] };

test('each folder of test/e2e belongs to one part', () => {
  const folders = readdirSync('test/e2e').map((name) => `test/e2e/${name}/`);
  const named = parts('1')
    .flatMap(({ whole }) => whole.flatMap(({ command }) => command))
    .filter((word) => word.startsWith('test/e2e/'));
  expect(named.sort()).toEqual(folders.sort());
});

test('each folder of test/ with a runner of its own is a part', () => {
  const own = readdirSync('test').filter(
    (name) =>
      ![
        'contract',
        'e2e',
        'fixtures',
        'support',
        'types',
        'unit',
        'torture',
        'mail-servers',
        'nodes',
      ].includes(name),
  );
  const names = parts('1').map(({ name }) => name);
  expect(own.filter((name) => !names.includes(name))).toEqual([]);
});

test('each part that the tests of a release do not have whole has a slice', () => {
  const inNpmTest = ['cli', 'terminal', 'server', 'turns', 'sdk', 'page', 'machine'];
  const without = parts('1')
    .filter(({ slice }) => slice.length === 0)
    .map(({ name }) => name);
  expect(without).toEqual([...inNpmTest, 'node-22']);
});
