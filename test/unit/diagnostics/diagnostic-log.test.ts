import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { DiagnosticLog, RotatingFile } from '../../../src/diagnostics/diagnostic-log.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const folder = temporaryFolder();
let serial = 0;
function makeLog(maxBytes = 1024, backups = 2) {
  serial += 1;
  const path = join(folder, String(serial), 'diagnostic.log');
  const faults: string[] = [];
  const clock = new VirtualClock('2026-03-13T00:00:00.250Z');
  const log = new DiagnosticLog(new RotatingFile(path, maxBytes, backups), clock, (fault) =>
    faults.push(fault),
  );
  const info = (fields: Record<string, unknown>) =>
    log.note({ level: 'info', event: 'e', fields, dedupKey: null });
  const read = (index = 0) => readFileSync(index === 0 ? path : `${path}.${index}`, 'utf8');
  return { path, log, info, read, faults };
}

test('a line is compact JSON with sorted keys, ASCII, private', () => {
  const { log, info, read, path } = makeLog();
  info({ zeta: 'ü\u001b', alpha: 1, token: 'hidden' });
  log.close();
  expect(read()).toBe(
    '{"alpha":1,"event":"e","level":"info","schema_version":1,"timestamp_utc":"2026-03-13T00:00:00.250000+00:00","zeta":"\\u00fc\\u001b"}\n',
  );
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a full file is set aside, the oldest goes, and no line is cut', () => {
  const { info, log, read, path } = makeLog(400, 2);
  for (let count = 0; count < 20; count += 1) info({ count, filler: 'x'.repeat(50) });
  log.close();
  const counts = [2, 1, 0].flatMap((index) =>
    read(index)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).count as number),
  );
  expect(counts).toEqual([14, 15, 16, 17, 18, 19].slice(-counts.length));
  for (const index of [0, 1, 2]) expect(read(index).length).toBeLessThanOrEqual(400);
  expect(existsSync(`${path}.3`)).toBe(false);
});

test('without backups a full file is deleted; one entry over the limit is written all the same', () => {
  const { info, log, read, path } = makeLog(200, 0);
  info({ filler: 'x'.repeat(300) });
  info({ last: true });
  log.close();
  expect(read()).toMatch(/"last":true/);
  expect(read().trim().split('\n')).toHaveLength(1);
  expect(existsSync(`${path}.1`)).toBe(false);
});

test('it goes on where an earlier one stopped', () => {
  const { path, info, log, read } = makeLog(10_000);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'before\n');
  info({});
  log.close();
  expect(read()).toMatch(/^before\n\{/);
});

test('what cannot be written is reported once and holds nothing up; later it goes on', () => {
  const { path, info, log, read, faults } = makeLog();
  mkdirSync(path, { recursive: true });
  info({ first: 1 });
  info({ second: 2 });
  expect(faults).toEqual([expect.stringContaining('the diagnostic log could not be written')]);
  rmSync(path, { recursive: true });
  chmodSync(dirname(path), 0o700);
  info({ third: 3 });
  log.close();
  expect(read()).toMatch(/"third":3/);
});
