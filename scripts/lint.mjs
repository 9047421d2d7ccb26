// Formatting and lint of everything hand-written: code, dependency direction, contract. Says each step; exit 1 when one fails.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const steps = [
  ['code', ['biome', 'check', '.']],
  ['dependency direction', ['depcruise', '--config', '.dependency-cruiser.cjs', 'src', 'sdk/src']],
  ['contract', ['redocly', 'lint', 'openapi/gateway.yaml']],
];
let failed = 0;
for (const [name, [tool, ...args]] of steps) {
  console.log(`lint: ${name}`);
  const { status } = spawnSync(join('node_modules', '.bin', tool), args, { stdio: 'inherit' });
  if (status !== 0) failed += 1;
}
process.exitCode = failed === 0 ? 0 : 1;
