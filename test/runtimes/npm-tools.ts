import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Programs from npm that are too heavy for everybody's `npm ci`: a folder in `.tools/`, made once for each list.
 *
 * @param packages by the name that each gets there, as in the `dependencies` of a package.json.
 * @returns the folder's `node_modules`.
 * @throws Error with what npm said, when one cannot be had.
 */
export function npmTools(name: string, packages: Readonly<Record<string, string>>): string {
  const list = JSON.stringify({ private: true, dependencies: packages });
  const digest = createHash('sha256').update(list).digest('hex').slice(0, 12);
  const folder = resolve('.tools', `${name}-${digest}`);
  const stamp = join(folder, '.installed');
  if (!existsSync(stamp)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), list);
    // A Node that is only run here is not the Node that npm runs on.
    const quietly = ['--no-audit', '--no-fund', '--engine-strict=false'];
    execFileSync('npm', ['install', ...quietly], { cwd: folder, stdio: 'pipe' });
    writeFileSync(stamp, '');
  }
  return join(folder, 'node_modules');
}
