// Formatting and lint of everything hand-written: code, dependency direction, places and words of tests, contract, references. Says
// each step; exit 1 when one fails.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { surfaces } from './tools/surfaces.mjs';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const tool = (name) => join('node_modules', '.bin', name);
const workflows = readdirSync(join('openapi', 'workflows')).map((name) => join('openapi', 'workflows', name));
const steps = [
  ['code', [tool('biome'), 'check', '.']],
  [
    'dependency direction',
    [tool('depcruise'), '--config', '.dependency-cruiser.cjs', 'src', 'sdk/src', 'standin/src'],
  ],
  ['rooms', [process.execPath, join('scripts', 'check-rooms.mjs')]],
  ['tests', [process.execPath, join('scripts', 'check-tests.mjs')]],
  ['words', [process.execPath, join('scripts', 'check-words.mjs')]],
  ['promises', [process.execPath, join('scripts', 'gate', 'promises.mjs')]],
  // Together: alone, the workflows would leave most rules unused, and redocly warns of that.
  [
    'contract and workflows',
    [tool('redocly'), 'lint', ...surfaces.map((name) => `openapi/${name}.yaml`), ...workflows],
  ],
  ['references', [process.execPath, join('scripts', 'check-references.mjs')]],
];
let failed = 0;
for (const [name, [program, ...args]] of steps) {
  console.log(`lint: ${name}`);
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  if (status !== 0) failed += 1;
}
process.exitCode = failed === 0 ? 0 : 1;
