import { expect, test } from 'vitest';
import { needsCompiledSqlite, openDatabase } from '../../../src/foundation/open-database.js';

test.each([
  ['20.20.0', true],
  ['22.14.0', false],
  ['24.21.0', false],
  ['26.0.0', false],
])('Node %s needs SQLite compiled: %s', (node, compiled) => {
  expect(needsCompiledSqlite(node)).toBe(compiled);
});

test('a database has the SQLite of this Node', () => {
  const database = openDatabase(':memory:');
  expect(database.prepare('SELECT 1 + 1 AS sum').get()).toEqual({ sum: 2 });
  database.close();
});
