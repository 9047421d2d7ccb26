// Compiles everything: the SDK's copy of the contract, the SDK, the sources, the programs, the contract's validators.
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));

function run(args) {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

run(['sdk/scripts/copy-contract.mjs']);
run([join('node_modules', 'typescript', 'bin', 'tsc'), '-b']);

const programs = {
  'houmao-gateway': 'gateway/main.js',
  'houmao-mgr': 'cli/main.js',
  'standin-agent': 'standin/main.js',
  'turn-runner': 'turn/runner-main.js',
  demo: 'demo/main.js',
};
// Programs of one or two files start faster than hundreds of modules. What has a binary or files of its own stays apart.
const apart = [/^better-sqlite3/, /^swagger-ui/];
const { rolldown } = await import('rolldown');
rmSync('dist/programs', { recursive: true, force: true });
for (const [name, entry] of Object.entries(programs)) {
  const bundle = await rolldown({
    input: { [name]: `dist/src/${entry}` },
    platform: 'node',
    external: apart,
  });
  await bundle.write({ dir: 'dist/programs', format: 'esm', chunkFileNames: `${name}-[name].js` });
  await bundle.close();
  chmodSync(join('dist', 'programs', `${name}.js`), 0o755);
}

run(['scripts/compile-validators.mjs']);
