import { expect, it } from 'vitest';
import { isWholeDatabase } from '../../../src/storage/storage-fault.js';

it.each([
  ['SQLITE_FULL', true],
  ['SQLITE_BUSY_SNAPSHOT', true],
  ['SQLITE_IOERR_WRITE', true],
  ['SQLITE_CONSTRAINT_UNIQUE', false],
  [undefined, false],
])('whether %s is a fault of the whole database: %s', (code, whole) => {
  expect(isWholeDatabase(Object.assign(new Error(), { code }))).toBe(whole);
});
