import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runCommand } from './run-command.mjs';

/**
 * A folder in `.tools/` with packages from npm that are too heavy for everybody's `npm ci`; made once for each manifest and Node.
 *
 * @param {string} name
 * @param {object} manifest the content of its package.json, which pins them
 * @param {{ say?: (text: string) => void, runScripts?: boolean }} [options] `runScripts`: those with which packages install themselves, too
 * @returns {string} its node_modules
 * @throws Error with what npm said, when a package cannot be had
 */
export function nodeEnvironment(name, manifest, { say = () => undefined, runScripts = false } = {}) {
  const list = JSON.stringify({ private: true, ...manifest });
  const digest = createHash('sha256').update(process.version).update(list).digest('hex');
  const folder = resolve('.tools', `${name}-${digest.slice(0, 12)}`);
  const stamp = join(folder, '.installed');
  if (!existsSync(stamp)) {
    say(`installing the npm packages of ${name}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), list);
    // A Node that is only run here is not the Node that npm runs on.
    const quietly = [
      '--no-audit',
      '--no-fund',
      '--no-package-lock',
      '--engine-strict=false',
      '--loglevel=error',
    ];
    runCommand('npm', ['install', ...quietly, ...(runScripts ? [] : ['--ignore-scripts'])], { cwd: folder });
    writeFileSync(stamp, '');
  }
  return join(folder, 'node_modules');
}
