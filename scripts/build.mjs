// Compiles everything: the SDK's copy of the contract, the SDK, the programs.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));

function run(args) {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

run(['sdk/scripts/copy-contract.mjs']);
run([join('node_modules', 'typescript', 'bin', 'tsc'), '-b']);
for (const program of ['gateway', 'cli', 'standin']) {
  const path = join('dist', 'src', program, 'main.js');
  if (existsSync(path)) chmodSync(path, 0o755);
}
