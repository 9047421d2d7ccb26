// Compiles everything: the SDK's copy of the contract, the SDK, the sources, the contract's validators, the programs.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
for (const step of [
  ['sdk/scripts/copy-contract.mjs'],
  [join('node_modules', 'typescript', 'bin', 'tsc'), '-b'],
  ['scripts/build/compile-validators.mjs'],
  ['scripts/build/bundle-programs.mjs'],
  ['scripts/build/cache-code.mjs'],
]) {
  const { status } = spawnSync(process.execPath, step, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
