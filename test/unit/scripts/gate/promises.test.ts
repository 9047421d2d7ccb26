import { expect, test } from 'vitest';

interface Promised {
  sentence: string;
  file: string;
  title: string;
}
const script = new URL('../../../../scripts/gate/promises.mjs', import.meta.url).href;
const { patternOf, problemsOf, promisesIn } = (await import(script)) as {
  promisesIn(markdown: string): Promised[];
  patternOf(promised: Promised[]): string;
  problemsOf(promised: Promised[], said: string, read: (file: string) => string | null): string[];
};

const file = 'test/e2e/turns/order.test.ts';
const row: Promised = {
  sentence: 'answers 202 once it is on disk',
  file,
  title: "a prompt's row (after a %s)",
};
const source = "test('a prompt\\'s row (after a %s)', () => {});";

test('the rows of the table are read', () => {
  const table = `| they say | file | test |\n|---|---|---|\n| ${row.sentence} | ${row.file} | ${row.title} |\n`;
  expect(promisesIn(table)).toEqual([row]);
});

test('the pattern fits these tests in any block, and no other', () => {
  const pattern = new RegExp(patternOf([row, { ...row, title: 'it [runs] once.' }]));
  for (const name of [
    "a block a prompt's row (after a crash)",
    'it [runs] once.',
    'the queue it [runs] once.',
  ])
    expect(name).toMatch(pattern);
  for (const name of ['it [runs] once, or not', 'it runs once.', 'the prompt (after a crash)'])
    expect(name).not.toMatch(pattern);
});

test('a promise is found whatever its marks and line breaks', () => {
  const said = '* [It](a.md) answers 202 once it is **on\n  `disk`**.\n';
  expect(problemsOf([row], said, () => source)).toEqual([]);
});

test.each([
  ['a sentence that no document has', 'Nothing.', source],
  ['a test that is not there', row.sentence, "test('another', () => {});"],
  ['a file that is not there', row.sentence, null],
])('%s is a problem', (_what, said, text) => {
  expect(problemsOf([row], said, () => text)).toHaveLength(1);
});

test('a table without rows is a problem', () => {
  expect(problemsOf([], '', () => null)).toHaveLength(1);
});
