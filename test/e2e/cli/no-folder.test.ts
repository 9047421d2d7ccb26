// Where files are to be, or are looked for, something is that is not a folder, or takes none.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { manage, managerEnvironment } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const environment = managerEnvironment(folder);
const file = join(folder, 'file');
writeFileSync(file, 'mine');

/** Runs it with `--json`. @returns the exit code and what the failure is. */
async function failed(variables: NodeJS.ProcessEnv, ...args: string[]) {
  const { code, stderr } = await manage({ ...environment, ...variables }, [...args, '--json']);
  const { error_code, detail } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
  expect(readFileSync(file, 'utf8')).toBe('mine');
  return { code, errorCode: error_code, detail };
}

describe.each([
  ['a file', file, 'root_unusable'],
  ['below a file', join(file, 'deep'), 'root_unusable'],
  // It is there on Linux; elsewhere it cannot be made either.
  [
    'a place that takes no folders',
    existsSync('/proc/self') ? '/proc/houmao' : '/dev/null/houmao',
    'machine',
  ],
])('%s', (_what, place, asRoot) => {
  test.each([
    ['the files of a server', ['server', 'start', '--port', '0', '--root', place], 'machine'],
    ['a mailbox root', ['mailbox', 'init', '--mailbox-root', place], asRoot],
  ])('is refused for %s, with its path', async (_for, args, why) => {
    const { code, errorCode, detail } = await failed({}, ...args);
    expect([code, errorCode]).toEqual([1, why]);
    expect(detail).toContain(place);
    expect(detail).not.toMatch(/\n +at /);
  });
});

describe.each([
  [
    'registry',
    'HOUMAO_GLOBAL_REGISTRY_DIR',
    [
      ['agents', 'list'],
      ['agents', 'doctor'],
      ['agents', 'stop', 'alpha'],
    ],
  ],
  [
    'runtime root',
    'HOUMAO_GLOBAL_RUNTIME_DIR',
    [
      ['agents', 'prune'],
      ['server', 'status'],
    ],
  ],
])('a %s that is a file', (_what, variable, commands) => {
  test.each(commands.map((command) => [command.join(' '), command] as const))(
    'is not reported as empty by %s',
    async (_named, command) => {
      const { code, errorCode, detail } = await failed({ [variable]: file }, ...command);
      expect([code, errorCode]).toEqual([1, 'unusable_file']);
      expect(detail).toContain(file);
    },
  );
});
