import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const require = createRequire(import.meta.url);

/** Statements are dropped by the thousand, then garbage is made until the collector runs outside of any call. */
const churn = `
  for (let n = 0; n < 20_000; n += 1) database.prepare('SELECT ' + n).get();
  let rounds = 0;
  const timer = setInterval(() => {
    Array.from({ length: 100_000 }, (_, n) => ({ n }));
    if ((rounds += 1) > 40) clearInterval(timer);
  }, 10);`;

function run(opening: string) {
  const { status, signal, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', opening + churn],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  return { status, signal, aborted: stderr.includes('RemoveEnvironmentCleanupHook') };
}

test('databases opened here survive the garbage collector', () => {
  const opening = `import { openDatabase } from './dist/src/foundation/open-database.js'; const database = openDatabase(':memory:');`;
  expect(run(opening)).toEqual({ status: 0, signal: null, aborted: false });
});

test('the library alone does not, where its addon was compiled with the headers of Node 24.19 or newer', () => {
  // When this fails the workaround of open-database.ts can go.
  const folder = require.resolve('better-sqlite3/package.json').replace(/package\.json$/, '');
  const addon = readFileSync(`${folder}build/Release/better_sqlite3.node`);
  expect(JSON.parse(readFileSync(`${folder}package.json`, 'utf8')).version).toMatch(/^12\./);
  const opening = `import Database from 'better-sqlite3'; const database = new Database(':memory:');`;
  expect(run(opening).aborted).toBe(addon.includes('RemoveEnvironmentCleanupHook'));
});
