// Compiles everything: the SDK's copy of the contract, the SDK, the sources, what the SDK's testing kit has of the contract, the
// SDK's CommonJS twin, the contract's validators, the programs, the page. With `--cache-only` it makes again
// what the Node that runs keeps of the programs, and nothing else; with `--no-cache` everything else, which needs no SQLite.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digestSources, removeBuildRecord, writeBuildRecord } from './build/build-record.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
const cache = [['scripts/build/cache-code.mjs']];
const programs = [
  ['sdk/scripts/copy-contract.mjs'],
  [join('node_modules', 'typescript', 'bin', 'tsc'), '-b'],
  ['scripts/build/compile-sdk-checks.mjs'],
  ['sdk/scripts/make-commonjs.mjs'],
  ['scripts/build/compile-validators.mjs'],
  ['scripts/build/bundle-programs.mjs'],
  ['scripts/build/bundle-page.mjs'],
];
const option = process.argv[2];
const steps =
  option === '--cache-only' ? cache : option === '--no-cache' ? programs : [...programs, ...cache];

const before = digestSources(root);
removeBuildRecord(root);
for (const step of steps) {
  const { status } = spawnSync(process.execPath, step, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
writeBuildRecord(root, before, steps === programs ? null : process.version);
