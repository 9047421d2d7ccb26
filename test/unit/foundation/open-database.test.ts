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

const node = (script: string, ...flags: string[]) =>
  spawnSync(process.execPath, [...flags, '--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
  });

function run(opening: string) {
  const { status, signal, stderr } = node(opening + churn);
  return { status, signal, aborted: stderr.includes('RemoveEnvironmentCleanupHook') };
}

const importing = `import { openDatabase } from './dist/src/foundation/open-database.js';`;

test('databases opened here survive the garbage collector', () => {
  const opening = `${importing} const database = openDatabase(':memory:');`;
  expect(run(opening)).toEqual({ status: 0, signal: null, aborted: false });
});

test('200 databases that were opened and closed are let go, except where that would abort the process', () => {
  const { stdout, stderr } = node(
    `${importing}
    const opened = [];
    for (let n = 0; n < 200; n += 1) {
      const database = openDatabase(':memory:');
      const statement = database.prepare('SELECT 1');
      statement.get();
      opened.push(new WeakRef(database), new WeakRef(statement));
      database.close();
    }
    setImmediate(() => {
      gc();
      console.log(opened.filter((one) => one.deref() !== undefined).length);
    });`,
    '--expose-gc',
  );
  expect(stderr).toBe('');
  // Nodes from 24 on hold both objects of each; what that costs stands in open-database.ts.
  expect(Number(stdout)).toBe(Number(process.versions.modules) < 137 ? 0 : 400);
});

test('the library alone does not, where its addon was compiled with the headers of Node 24.19 or newer', () => {
  // When this fails the workaround of open-database.ts can go.
  const folder = require.resolve('better-sqlite3/package.json').replace(/package\.json$/, '');
  const addon = readFileSync(`${folder}build/Release/better_sqlite3.node`);
  expect(JSON.parse(readFileSync(`${folder}package.json`, 'utf8')).version).toMatch(/^12\./);
  const opening = `import Database from 'better-sqlite3'; const database = new Database(':memory:');`;
  expect(run(opening).aborted).toBe(addon.includes('RemoveEnvironmentCleanupHook'));
});
