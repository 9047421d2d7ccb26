import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.js';

const script = join(import.meta.dirname, '../../../scripts/check-tests.mjs');
const folder = temporaryFolder();

/** The result of the check for a repository with these files beside those that it makes exceptions for. */
function check(...files: (string | [path: string, text: string])[]): {
  status: number | null;
  problems: string[];
} {
  const repository = mkdtempSync(join(folder, 'repository-'));
  const excepted = [
    'hostile/a',
    'torture/check',
    'tools/any-row',
    'tools/command-lines',
    'tools/reasoning-ladders',
    'tools/terminal-commands',
  ];
  for (const file of [
    'src/tools/tool-registry.ts',
    'src/events/projection.ts',
    'sdk/src/core/limits.ts',
    'scripts/method-docs.mjs',
    ...excepted.map((name) => `test/unit/${name}.test.ts`),
    ...files,
  ]) {
    const [path, text] = typeof file === 'string' ? [file, ''] : file;
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  }
  const { status, stderr } = spawnSync(process.execPath, [script, repository], { encoding: 'utf8' });
  return { status, problems: stderr.split('\n').filter((line) => line !== '') };
}

test('tests that stand where their subject does are well', () => {
  expect(
    check(
      'test/unit/events/projection.test.ts',
      'test/unit/events/projection-disk.test.ts',
      'test/unit/events/for-them-all.ts',
      'test/unit/sdk/core/limits.test.ts',
      'test/unit/scripts/method-docs.test.ts',
    ),
  ).toEqual({ status: 0, problems: [] });
});

test.each([
  [
    'test/unit/queue/worker.test.ts',
    [
      'tests: test/unit/queue/ stands for src/queue/, which is not there',
      'tests: test/unit/queue/worker.test.ts tests no file of src/queue/: move it to where its subject is',
    ],
  ],
  [
    'test/unit/events/projector.test.ts',
    [
      'tests: test/unit/events/projector.test.ts tests no file of src/events/: move it to where its subject is',
    ],
  ],
  [
    'test/unit/sdk/limits.test.ts',
    ['tests: test/unit/sdk/limits.test.ts tests no file of sdk/src/: move it to where its subject is'],
  ],
  ['test/unit/run/helper.ts', ['tests: test/unit/run/ stands for src/run/, which is not there']],
])('%s is found', (path, problems) => {
  const found = check(path);
  expect([found.status, found.problems.sort()]).toEqual([1, problems.sort()]);
});

test('a hook that returns its clean-up is found', () => {
  const hook = [
    'beforeEach(async () => {',
    '  const made = await make();',
    '  return () => made.close();',
    '});',
  ];
  const path = 'test/unit/events/projection-late.test.ts';
  expect(check([path, hook.join('\n')])).toEqual({
    status: 1,
    problems: [
      `tests: ${path}: a hook returns its clean-up, which runs after every afterEach: write an afterEach`,
    ],
  });
});
