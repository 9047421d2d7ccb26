import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The commit of 0.1.0, which has no tag: it was a checkout that one built, and no package. */
const firstVersion = '678c4034';

/**
 * The previous version of the project, built: that of the highest tag such as v1.2.3 in the history of HEAD that is not HEAD's own.
 *
 * @returns its folder, made once for each commit
 */
export function previousVersion(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const tags = git('tag', '--list', 'v*', '--merged', 'HEAD~1', '--sort=-version:refname').split('\n');
  const commit = git(
    'rev-parse',
    `${tags.find((tag) => /^v\d+\.\d+\.\d+$/.test(tag)) ?? firstVersion}^{commit}`,
  );
  const folder = resolve('.tools', `version-${commit.slice(0, 12)}`);
  const stamp = join(folder, '.built');
  if (existsSync(stamp)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', commit], { maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  // A package of it reports installs to its makers, with a file in the folder for temporary ones.
  const env = { ...process.env, SCARF_ANALYTICS: 'false' };
  for (const args of [['ci'], ['run', 'build']])
    execFileSync('npm', args, { cwd: folder, stdio: 'pipe', env });
  writeFileSync(stamp, '');
  return folder;
}
