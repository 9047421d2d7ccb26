import { expect, test } from 'vitest';
import { secondsByFile } from '../../../support/run/slowest-first.js';

const script = new URL('../../../../scripts/gate/times.mjs', import.meta.url).href;
const { withTimes } = (await import(script)) as {
  withTimes(
    document: string,
    files: { file: string; seconds: number }[],
    isThere: (file: string) => boolean,
  ): string;
};

const document = (table: string) => `# Tests\n\n<!-- times -->\n${table}<!-- /times -->\n\nThe end.\n`;
const head = '| seconds | file |\n|---|---|\n';

test('new figures take the place of old ones, which stay for files that did not run', () => {
  const old = document(
    `${head}| 9.0 | test/a.test.ts |\n| 8.0 | test/b.test.ts |\n| 7.0 | test/gone.test.ts |\n`,
  );
  const files = [
    { file: 'test/c.test.ts', seconds: 30.25 },
    { file: 'test/a.test.ts', seconds: 5 },
    { file: 'test/quick.test.ts', seconds: 0.2 },
  ];
  const made = withTimes(old, files, (file) => file !== 'test/gone.test.ts');
  expect(made).toBe(
    document(`${head}| 30.3 | test/c.test.ts |\n| 8.0 | test/b.test.ts |\n| 5.0 | test/a.test.ts |\n`),
  );
  expect([...secondsByFile(made)]).toEqual([
    ['test/c.test.ts', 30.3],
    ['test/b.test.ts', 8],
    ['test/a.test.ts', 5],
  ]);
});

test('a document without a place for the table is left alone', () => {
  expect(() => withTimes('# Tests\n', [], () => true)).toThrow('<!-- times -->');
});
