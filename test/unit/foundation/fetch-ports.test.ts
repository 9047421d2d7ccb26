import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { blockedPort } from '../../../src/foundation/fetch-ports.js';

const { badPorts } = createRequire(import.meta.url)('undici/lib/web/fetch/constants.js') as {
  badPorts: readonly string[];
};
const blocked = Array.from({ length: 65536 }, (_, port) => port).filter((port) => blockedPort(port) !== null);

test('the blocked ports are those that fetch blocks', () => {
  expect(blocked).toEqual(badPorts.map(Number));
  expect(blockedPort(10080)).toMatch(/^Browsers and Node refuse to call port 10080 /);
});

test('none is one that Linux gives to a program that takes any', () => {
  expect(Math.max(...blocked)).toBeLessThan(32768);
});
