import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runCommand } from './run-command.mjs';

/**
 * A folder in `.tools/` with the npm packages that a package.json pins; made once for each wording of the file. Their install scripts do
 * not run.
 * @returns its node_modules
 * @throws Error when a package cannot be had.
 */
export function nodeEnvironment(name, manifest, say) {
  const digest = createHash('sha256').update(process.version).update(readFileSync(manifest)).digest('hex');
  const folder = resolve('.tools', `${name}-${digest.slice(0, 12)}`);
  const stamp = join(folder, '.installed');
  if (!existsSync(stamp)) {
    say(`installing the npm packages of ${name}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    cpSync(manifest, join(folder, 'package.json'));
    const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
    runCommand('npm', ['install', ...quietly], { cwd: folder });
    writeFileSync(stamp, '');
  }
  return join(folder, 'node_modules');
}
