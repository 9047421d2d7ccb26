import { expect, test } from 'vitest';

const script = new URL('../../../../scripts/gate/summary.mjs', import.meta.url).href;
const { slowestFiles, summaryOf } = (await import(script)) as {
  summaryOf(
    results: object[],
    options: { strict: boolean; notRun?: string[] },
  ): { text: string; failed: number };
  slowestFiles(results: object[]): { file: string; seconds: number }[];
};

const step = (name: string, over: object = {}) => ({
  name,
  seconds: 1,
  budget: 10,
  code: 0,
  passed: 1,
  failed: [],
  again: [],
  leftOut: {},
  files: [],
  ...over,
});
const failed = { file: 'test/a.test.ts', kind: 'e2e', name: 'it works', why: 'expected 1 to be 2' };

test('the last line counts what passed and what failed', () => {
  const good = summaryOf([step('one', { passed: 5 }), step('two')], { strict: true });
  expect([good.text.split('\n').at(-1), good.failed]).toEqual(['6 passed, 0 failed', 0]);
  const bad = summaryOf([step('one', { code: 1, failed: [failed], again: [[false, false]] })], {
    strict: true,
  });
  expect([bad.text.split('\n').at(-1), bad.failed]).toEqual(['1 passed, 1 failed', 1]);
  expect(bad.text).toContain('test/a.test.ts > it works\n    expected 1 to be 2');
});

test('an unstable test is named', () => {
  const { text } = summaryOf([step('one', { code: 1, failed: [failed], again: [[true, true]] })], {
    strict: true,
  });
  expect(text).toMatch(/Unstable.*:\n {2}test\/a\.test\.ts > it works\n/);
  expect(text.split('\n').at(-1)).toBe('2 passed, 0 failed');
});

test('each test that was left out is reported with its reason, and summed up over the steps', () => {
  const steps = [step('one', { leftOut: { zsh: 1 } }), step('two', { leftOut: { zsh: 1, root: 1 } })];
  const { text } = summaryOf(steps, { strict: true, notRun: ['agents: not among --only'] });
  expect(text).toContain(
    'Left out:\n  2 tests that need zsh\n  1 test that need root\n  agents: not among --only\n',
  );
});

test('a file that ran in several steps counts with its longest time', () => {
  const files = (seconds: number) => [
    { file: 'a', seconds },
    { file: `b${seconds}`, seconds: 5 },
  ];
  expect(slowestFiles([step('one', { files: files(2) }), step('two', { files: files(9) })])).toEqual([
    { file: 'a', seconds: 9 },
    { file: 'b2', seconds: 5 },
    { file: 'b9', seconds: 5 },
  ]);
});
