import { expect, test } from 'vitest';
import { olderLines, toldVersion } from '../../../../src/cli/words/version-words.js';
import { isOlder } from '../../../../src/foundation/version.js';

test.each([
  ['0.1.0', '0.2.0', true],
  ['0.2.0', '0.2.0', false],
  ['0.10.0', '0.9.9', false],
  ['0.9.9', '0.10.0', true],
  ['1.0.0', '0.2.0', false],
  ['<0.2.0', '0.2.0', true],
  ['<0.2.0', '0.1.9', false],
])('%s is older than %s: %j', (one, than, older) => {
  expect(isOlder(one, than)).toBe(older);
});

test('only a program that is older is named, with what starts this release in its place', () => {
  const gateway = (name: string, version: string | null) => ({
    subject: `The gateway of ${name}`,
    version,
    remedy: `houmao-mgr agents gateway attach ${name} --restart`,
  });
  const all = [
    gateway('alpha', '0.1.0'),
    gateway('beta', '0.2.0'),
    gateway('gamma', null),
    gateway('delta', '<0.2.0'),
  ];
  expect(olderLines([...all, { subject: 'The server x', version: '0.1.9', remedy: null }], '0.2.0')).toEqual([
    'The gateway of alpha is 0.1.0, this is 0.2.0: houmao-mgr agents gateway attach alpha --restart',
    'The gateway of delta is older than 0.2.0, this is 0.2.0: houmao-mgr agents gateway attach delta --restart',
    'The server x is 0.1.9, this is 0.2.0.',
  ]);
});

test('a program that gives no answer has no known version', async () => {
  expect(await toldVersion(Promise.reject(new Error('silent')), true)).toBeNull();
  expect(await toldVersion(Promise.resolve({ version: '0.3.0' }), true)).toBe('0.3.0');
});
