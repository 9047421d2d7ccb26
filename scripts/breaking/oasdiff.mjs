import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { goToolchain } from '../tools/go-toolchain.mjs';
import { runCommand } from '../tools/run-command.mjs';

/** Newer ones ask for a module that Go's proxy does not give. */
const version = '1.32.0';

/**
 * Finds what breaks for callers between two bundled contracts, a line for each. The levels raise what oasdiff lets pass and we
 * do not: our objects are closed on both sides, unknown query parameters are refused, operationIds name SDK methods.
 * @throws Error when oasdiff cannot be had or cannot read a contract.
 */
export function breakingChanges(before, after, say) {
  const args = ['breaking', before, after, '--fail-on', 'ERR', '--format', 'singleline'];
  const { status, stdout, stderr } = spawnSync(
    requireOasdiff(say),
    [...args, '--severity-levels', 'scripts/breaking/levels.txt'],
    { encoding: 'utf8' },
  );
  if (status !== 0 && status !== 1) throw new Error(`oasdiff failed (${status}): ${stderr.trim()}`);
  const errors = stdout.split('\n').filter((line) => line.startsWith('error'));
  if (status === 1 && errors.length === 0) throw new Error(`oasdiff said what is not understood:\n${stdout}`);
  return errors.map((line) => line.replace(/^error at \S+ in /, '').trim());
}

function requireOasdiff(say) {
  const folder = resolve('.tools', `oasdiff-${version}`);
  const program = join(folder, 'oasdiff');
  if (existsSync(program)) return program;
  const { command, environment } = goToolchain(say);
  say(`building oasdiff ${version} (a minute or two)`);
  runCommand(command, ['install', `github.com/oasdiff/oasdiff@v${version}`], {
    env: { ...environment, GOBIN: folder },
  });
  return program;
}
