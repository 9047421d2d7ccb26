import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { UnusableFile } from '../../../src/foundation/faults.js';
import { openDatabase, requireSqlite } from '../../../src/foundation/open-database.js';
import { copyFiles, readCopy } from '../../../src/storage/read-copy.js';
import type { TableSchema } from '../../../src/storage/store.js';
import { needsRoot } from '../../support/run/needs.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const schemas: readonly TableSchema[] = [
  { tables: 'CREATE TABLE IF NOT EXISTS things (n INTEGER)', columns: { things: ['n'] } },
  { tables: 'CREATE TABLE IF NOT EXISTS later (n INTEGER)' },
];
const parent = temporaryFolder();
let serial = 0;
let folder: string;
let path: string;
beforeEach(() => {
  serial += 1;
  folder = join(parent, String(serial));
  path = join(folder, 'store.sqlite');
});

const library = JSON.stringify(requireSqlite());

/** Another process that runs `work` over the store in WAL mode, says so, and stays. */
async function elsewhere(work: string, at = path) {
  const program = `
    require('node:fs').mkdirSync(require('node:path').dirname(${JSON.stringify(at)}), { recursive: true });
    const open = () => new (require(${library}))(${JSON.stringify(at)});
    const database = open();
    database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE IF NOT EXISTS things (n INTEGER)');
    ${work};
    console.log('done');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  onTestFinished(end);
  await once(createInterface(child.stdout), 'line');
  return { kill: end };
}
/** A store that a program left, however it ended. */
async function left(work: string): Promise<void> {
  const { kill } = await elsewhere(work);
  await kill();
}
const closed = "database.exec('INSERT INTO things VALUES (1), (2)'); database.close()";
const killed =
  "database.exec('INSERT INTO things VALUES (1)'); database.exec('INSERT INTO things VALUES (2)')";

const named = () => ({ path, thing: 'queue', program: 'gateway' });
const things = (): Promise<unknown[]> =>
  readCopy(named(), schemas, async (store) =>
    store.prepare<[], { n: number }>('SELECT n FROM things ORDER BY n').all(),
  );
const both = [{ n: 1 }, { n: 2 }];

/** All files of the folder with what is in them; of the shared memory of SQLite, which is no content, only that it is there. */
const files = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [
      name,
      name.endsWith('-shm') ? 'there' : readFileSync(join(folder, name)).toString('base64'),
    ]),
  );
async function expectNothingTouched(work: () => Promise<unknown>): Promise<void> {
  const before = files();
  const copies = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('houmao-read-'));
  await work();
  expect(files()).toEqual(before);
  expect(copies()).toEqual([]);
}
const refusal = (): Promise<UnusableFile> =>
  things().then(
    () => expect.unreachable('it was read'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(UnusableFile);
      return error as UnusableFile;
    },
  );

test('a store that was closed is read, and nothing is made beside it', async () => {
  await left(closed);
  expect(Object.keys(files())).toEqual(['store.sqlite']);
  await expectNothingTouched(async () => expect(await things()).toEqual(both));
});

test('a store whose program was killed is read with what its log holds', async () => {
  await left(killed);
  expect(Object.keys(files())).toEqual(['store.sqlite', 'store.sqlite-shm', 'store.sqlite-wal']);
  await expectNothingTouched(async () => expect(await things()).toEqual(both));
});

test('a log that came without the shared memory, as from a backup, is read too', async () => {
  await left(killed);
  rmSync(`${path}-shm`);
  await expectNothingTouched(async () => expect(await things()).toEqual(both));
});

test('a store that another program has open is read as it is between two of its transactions', async () => {
  await elsewhere(`${killed}; database.exec('BEGIN IMMEDIATE; INSERT INTO things VALUES (3)')`);
  await expectNothingTouched(async () => expect(await things()).toEqual(both));
});

test('files are no copy when somebody opened or wrote the store meanwhile', async () => {
  await left(closed);
  const target = join(parent, `copy-${serial}`);
  expect(copyFiles(path, target)).toBe(true);
  const during = (work: (database: ReturnType<typeof openDatabase>) => void) =>
    copyFiles(path, target, (from, to) => {
      copyFileSync(from, to);
      const database = openDatabase(path);
      work(database);
      onTestFinished(() => void database.close());
    });
  expect(during((database) => database.prepare('SELECT n FROM things').all())).toBe(false);
  expect(during((database) => database.exec('INSERT INTO things VALUES (3)'))).toBe(false);
});

test('a store that is changed all the time is read as it was at one moment', async () => {
  await elsewhere(`
    database.exec('INSERT INTO things VALUES (1); CREATE TABLE filling (bytes); INSERT INTO filling VALUES (zeroblob(4000000))');
    database.exec('CREATE TABLE ends (n INTEGER); INSERT INTO ends VALUES (1)');
    const change = () => {
      database.exec('BEGIN; UPDATE things SET n = n + 1; UPDATE ends SET n = n + 1; COMMIT');
      setImmediate(change);
    };
    change()`);
  for (let read = 0; read < 5; read += 1)
    expect(
      await readCopy(named(), schemas, async (store) =>
        store.prepare('SELECT things.n = ends.n AS same FROM things JOIN ends').get(),
      ),
    ).toEqual({ same: 1 });
});

test('a reader in the middle of its work keeps nobody from opening and writing the store', async () => {
  await left(killed);
  await readCopy(named(), schemas, async (store) => {
    await store.readAtOnce(() => store.prepare('SELECT n FROM things').all());
    const database = openDatabase(path, { timeout: 0 });
    database.exec('PRAGMA journal_mode = WAL; INSERT INTO things VALUES (3)');
    expect(database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 });
    database.close();
  });
});

test('tables that came with a later version are empty, and stay away from the store', async () => {
  await left(closed);
  await expectNothingTouched(() =>
    readCopy(named(), schemas, async (store) =>
      expect(store.prepare('SELECT n FROM later').all()).toEqual([]),
    ),
  );
});

describe('refused with its path, and left as it is', () => {
  const damages: [string, string, () => void, RegExp][] = [
    [
      'no database',
      closed,
      () => writeFileSync(path, 'no database, however long one looks'),
      /not a database/,
    ],
    [
      'a damaged one',
      "database.exec('INSERT INTO things VALUES ' + Array(3000).fill('(1)').join()); database.close()",
      () => {
        const bytes = readFileSync(path);
        writeFileSync(path, bytes.fill(0xee, 4096));
      },
      /damaged/,
    ],
    [
      'the database of another program',
      "database.exec('DROP TABLE things; CREATE TABLE songs (n)'); database.close()",
      () => undefined,
      /no table things/,
    ],
    [
      'one with another shape',
      "database.exec('DROP TABLE things; CREATE TABLE things (m)'); database.close()",
      () => undefined,
      /lacks n/,
    ],
    [
      'one beside its rescued copy',
      closed,
      () => writeFileSync(`${path}.rescued`, ''),
      /store\.sqlite\.rescued is beside it/,
    ],
  ];
  test.each(damages)('%s', async (_what, work, damage, words) => {
    await left(work);
    damage();
    await expectNothingTouched(async () => {
      const { path: reported, reason } = await refusal();
      expect(reported).toBe(path);
      expect(reason).toMatch(words);
    });
  });

  test('one that is not there', async () => {
    await expect(things()).rejects.toMatchObject({ code: 'ENOENT', path });
    expect(existsSync(folder)).toBe(false);
  });
});

test(
  'a folder in which nothing may be written is no obstacle, whether or not the store was closed',
  needsRoot,
  async () => {
    // Other users cannot enter the folder of the run.
    const open = mkdtempSync('/tmp/houmao-read-only-');
    onTestFinished(() => rmSync(open, { recursive: true }));
    chmodSync(open, 0o755);
    const built = JSON.stringify(join(import.meta.dirname, '../../../dist/src/storage/read-copy.js'));
    for (const [name, work] of Object.entries({ closed, killed })) {
      folder = join(open, name);
      path = join(folder, 'store.sqlite');
      await left(work);
      for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o444);
      chmodSync(folder, 0o555);
      const program = `
        const { readCopy } = await import(${built});
        process.setgid(65534);
        process.setuid(65534);
        const read = async (store) => store.prepare('SELECT n FROM things ORDER BY n').all();
        const schemas = ${JSON.stringify(schemas)};
        console.log(JSON.stringify(await readCopy(${JSON.stringify(named())}, schemas, read)));`;
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
        env: { ...process.env, TMPDIR: '/tmp' },
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual(both);
    }
  },
);
