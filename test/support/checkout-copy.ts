import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './temporary-folder.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
/** The checkout of a newcomer after `git clone`, `npm ci` and `npm run build`, as far as the documents speak of it. */
const parts = [
  ...['README.md', 'LICENSE', '.npmrc', 'package.json', 'package-lock.json', 'openapitools.json'],
  ...['tsconfig.json', 'tsconfig.base.json'],
  ...[
    'docs',
    'examples',
    'generated',
    'scripts',
    'sdk',
    'sdk-testing',
    'standin',
    'console',
    'src',
    'dist',
    'test/clients',
  ],
];

/**
 * A copy of this checkout, built and installed, in a folder that is removed after the tests. Its packages are copies too: an `npm ci`
 * in it would empty those of the checkout through a link.
 */
export function copyOfCheckout(): string {
  const copy = join(temporaryFolder(), 'houmao');
  mkdirSync(copy);
  for (const path of parts)
    cpSync(join(project, path), join(copy, path), { recursive: true, preserveTimestamps: true });
  execFileSync('cp', ['-a', '--reflink=auto', join(project, 'node_modules'), copy]);
  return copy;
}
