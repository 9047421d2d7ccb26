import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startScript, type TerminalProgram } from '../../../src/terminal/start-script.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
/** A program that tells what it was started with, and a shell that says that it was left. */
const teller = join(folder, 'teller');
writeFileSync(
  teller,
  `#!${process.execPath}\nconsole.log(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), env: process.env }));\nprocess.exitCode = 7;\n`,
);
const shell = join(folder, 'shell');
writeFileSync(shell, '#!/bin/sh\necho "shell $*"\n');
for (const file of [teller, shell]) chmodSync(file, 0o755);

function run(program: Partial<TerminalProgram>, environment: NodeJS.ProcessEnv = {}) {
  const script = join(folder, 'start.sh');
  writeFileSync(
    script,
    startScript({ executable: teller, args: [], workingDirectory: folder, environment: {}, ...program }),
    { mode: 0o600 },
  );
  const [reported = '', ...after] = execFileSync('/bin/sh', [script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, SHELL: shell, ...environment },
  }).split('\n');
  return { ...(JSON.parse(reported) as { args: string[]; cwd: string; env: Record<string, string> }), after };
}

test('the program gets its arguments and variables to the letter, whatever they hold', () => {
  const text = fc.string({ unit: 'grapheme' }).map((any) => any.replaceAll('\0', ''));
  const value = fc.oneof(text, fc.constantFrom("'", '"', '$HOME', '`id`', '\\', '\n', '-n', '', '!!', '*'));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), value, (args, one) => {
      const { args: seen, env, cwd } = run({ args, environment: { ONE: one, PATH: '/bin' } });
      expect([seen, env.ONE, env.PATH, cwd]).toEqual([args, one, '/bin', folder]);
    }),
    { numRuns: 15 },
  );
});

test('nothing of the surroundings reaches it but where it is', () => {
  const { env } = run(
    { environment: { KEY: 'ours' } },
    { CLAUDECODE: '1', SECRET: 'x', TMUX: '/tmp/s,1,0', TMUX_PANE: '%3', TERM: 'tmux-256color' },
  );
  expect(env).toEqual({ KEY: 'ours', TMUX: '/tmp/s,1,0', TMUX_PANE: '%3', TERM: 'tmux-256color' });
  expect(run({}).env).toEqual({});
});

test('when it has ended its code is shown, and a login shell is left; after one that ends at once, a plain one', () => {
  expect(run({}).after).toEqual([
    ...['', '[houmao local interactive exited with code 7]', 'shell -l'],
    expect.stringMatching(/shell ended at once with code 0; this is \/bin\/sh\]$/),
    '',
  ]);
});
