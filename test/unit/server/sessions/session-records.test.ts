import { readdirSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../../../src/foundation/open-database.js';
import { ParkedReader, RecordsUnreadable } from '../../../../src/server/sessions/session-records.js';
import { turnSchema } from '../../../../src/turn/turn-schema.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

let path: string;
let reader: ParkedReader;
beforeEach(() => {
  path = join(temporaryFolder(), 'queue.sqlite');
  reader = new ParkedReader(path);
});
afterEach(() => reader.close());

const index = (): number => reader.read((records) => records.nextIndex(), 0);

/** Which of this process's open files are the database, as `/proc` counts them. */
const openAs = (): string[] =>
  readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === path;
    } catch {
      return false;
    }
  });

function withTurns(at: string, turns: number): void {
  const database = openDatabase(at);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE turns (turn_id TEXT)');
  for (let turn = 0; turn < turns; turn += 1) database.exec("INSERT INTO turns VALUES ('a')");
  database.close();
}

test('a session without a database has nothing, until there is one', () => {
  expect(index()).toBe(0);
  expect(openAs()).toEqual([]);
  withTurns(path, 2);
  expect(index()).toBe(3);
});

test('a database stays open from one read to the next, and one that took its place is read instead', () => {
  withTurns(path, 1);
  expect(index()).toBe(2);
  const opened = openAs();
  expect(opened).toHaveLength(1);
  expect(index()).toBe(2);
  expect(openAs()).toEqual(opened);
  withTurns(`${path}.new`, 4);
  renameSync(`${path}.new`, path);
  expect(index()).toBe(5);
});

test('one that cannot be read is not opened again for each look, and is read once it is mended', () => {
  writeFileSync(path, 'no database at all, but long enough to be read as one'.repeat(40));
  expect(index).toThrow(RecordsUnreadable);
  const opened = openAs();
  expect(opened).toHaveLength(1);
  expect(index).toThrow('cannot be read now (SQLITE_NOTADB)');
  expect(openAs()).toEqual(opened);
  withTurns(`${path}.new`, 1);
  renameSync(`${path}.new`, path);
  expect(index()).toBe(2);
});

test('turns that a release wrote before prompts had labels are read, and have none', () => {
  const database = openDatabase(path);
  database.exec(turnSchema.tables);
  database.exec(`INSERT INTO turns (turn_id, origin, tool, state, started_at_utc, delivery_state, delivery_at_utc)
    VALUES ('turn-old', 'direct', 'claude', 'ended', '', 'confirmed', '')`);
  database.close();
  const turn = reader.read((records) => records.turn('turn-old'), null);
  expect(turn).toMatchObject({ turn_id: 'turn-old', state: 'ended' });
  expect(turn).not.toHaveProperty('metadata');
  expect(reader.read((records) => records.metadata('turn-old'), null)).toBeNull();
});
