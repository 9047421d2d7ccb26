import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const source = join(import.meta.dirname, '../../../dist/src/foundation');

/** @param then JavaScript that runs in a program with these endings. */
function run(then: string) {
  const program = `import { systemClock } from ${JSON.stringify(join(source, 'clock.js'))};
import { endOnFault } from ${JSON.stringify(join(source, 'program-line.js'))};
endOnFault('houmao-gateway', systemClock);
${then}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  return { status, stdout, lines: stderr.split('\n').slice(0, -1) };
}
const time = String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00 houmao-gateway: `;

test.each([
  [
    'an error that nobody caught',
    "setTimeout(() => { throw new TypeError('it broke'); }); setInterval(() => {}, 1000);",
  ],
  [
    'a promise that nobody waited for',
    "void Promise.reject(new TypeError('it broke')); setInterval(() => {}, 1000);",
  ],
  ['an entry that fails', "await Promise.reject(new TypeError('it broke'));"],
])('%s ends the program with one line, which has a time and the stack', (_case, then) => {
  const { status, lines } = run(then);
  expect(status).toBe(1);
  expect(lines).toEqual([expect.stringMatching(new RegExp(`${time}TypeError: it broke at .+`))]);
});

test('a warning is one line with a time, and ends nothing', () => {
  const { status, stdout, lines } = run(
    "process.emitWarning('soon gone'); setTimeout(() => console.log('on'), 10);",
  );
  expect([status, stdout]).toEqual([0, 'on\n']);
  expect(lines).toEqual([expect.stringMatching(new RegExp(`${time}Warning: soon gone`))]);
});
