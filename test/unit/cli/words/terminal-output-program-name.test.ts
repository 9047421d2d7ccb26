import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pastable, programName, quoted } from '../../../../src/cli/words/terminal-output.js';

const called = (script: string, environment: NodeJS.ProcessEnv = {}) =>
  programName({ script, directory: '/work/house', environment });

test('the program is named as it was called', () => {
  const npx = { npm_lifecycle_event: 'npx', npm_lifecycle_script: "'houmao-mgr'" };
  expect(called('/cache/.bin/houmao-mgr', { ...npx, PATH: '/cache/.bin:/bin' })).toBe('npx houmao-mgr');
  expect(called('/usr/bin/houmao-mgr', { PATH: '/bin:/usr/bin' })).toBe('houmao-mgr');
  expect(called('/usr/bin/hm', { PATH: '/bin:/usr/bin' })).toBe('hm');
  expect(called('/work/house/dist/houmao-mgr.js', { PATH: '/bin' })).toBe('node dist/houmao-mgr.js');
  expect(called('/opt/my tools/houmao-mgr.js')).toBe("node '/opt/my tools/houmao-mgr.js'");
  // Run by npx of something else, such as a test runner.
  expect(called('/a/b.js', { npm_lifecycle_event: 'npx', npm_lifecycle_script: 'vitest' })).toBe(
    'node /a/b.js',
  );
});

test('commands alone are renamed', () => {
  expect(pastable('Start it: houmao-mgr server start; or houmao-mgr agents list', 'npx houmao-mgr')).toBe(
    'Start it: npx houmao-mgr server start; or npx houmao-mgr agents list',
  );
  expect(pastable('houmao-mgr --help', 'npx houmao-mgr')).toBe('npx houmao-mgr --help');
  for (const text of ['houmao-mgr works', '/bin/houmao-mgr agents', 'npx-houmao-mgr agents'])
    expect(pastable(text, 'other')).toBe(text);
});

test('a quoted word is one word to a shell', () => {
  const word = fc.string({ unit: 'grapheme-ascii', minLength: 1 });
  fc.assert(
    fc.property(word, (text) => {
      expect(execFileSync('sh', ['-c', `printf %s ${quoted(text)}`], { encoding: 'utf8' })).toBe(text);
    }),
    { numRuns: 30 },
  );
});
