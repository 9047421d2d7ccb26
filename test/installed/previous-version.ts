import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { earlierReleases, unpackRelease } from '../support/earlier-releases.js';

/**
 * The previous version of the project, built.
 *
 * @returns its folder, made once for each commit
 */
export function previousVersion(): string {
  const [release] = earlierReleases();
  const folder = resolve('.tools', `version-${release!.commit.slice(0, 12)}`);
  const stamp = join(folder, '.built');
  if (existsSync(stamp)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  unpackRelease(release!, folder);
  // A package of it reports installs to its makers, with a file in the folder for temporary ones.
  const env = { ...process.env, SCARF_ANALYTICS: 'false' };
  for (const args of [['ci'], ['run', 'build']])
    execFileSync('npm', args, { cwd: folder, stdio: 'pipe', env });
  writeFileSync(stamp, '');
  return folder;
}
