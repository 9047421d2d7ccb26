import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startTalking } from '../../support/talking-program.js';

const example = fileURLToPath(new URL('../../../examples/review-loop.mjs', import.meta.url));

function start() {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-example-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, program: startTalking(example, { ...process.env, TMPDIR: folder }) };
}

const isServed = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  );
const addressesIn = (text: string): string[] => text.match(/http:\/\/127\.0\.0\.1:\d+/g) ?? [];

test('the review goes its way, is reported step by step, and leaves nothing behind', async () => {
  const { folder, program } = start();
  expect([await program.ended, program.output()]).toEqual([0, expect.any(String)]);
  const steps = program
    .output()
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^ *\d+ {2}/, ''));
  const wasWoken = expect.stringMatching(
    /was woken by its mail: confirmed, by system\/init row of session [0-9a-f-]{36}$/,
  );
  const question = '"Review of the parser"';
  expect(steps).toEqual([
    expect.stringMatching(/^author +listens at http.* and has the mailbox author@houmao\.localhost$/),
    expect.stringMatching(/^reviewer +listens at http.* and has the mailbox reviewer@houmao\.localhost$/),
    `author    sent ${question} to reviewer@houmao.localhost`,
    wasWoken,
    expect.stringMatching(/^reviewer +answered "Re: Review of the parser": The stand-in has read/),
    `reviewer  archived ${question} (read true, answered true)`,
    wasWoken,
    'author    archived "Re: Review of the parser", of the same thread: true',
    'author    is idle, with 0 queued and 0 in its inbox',
    'reviewer  is idle, with 0 queued and 0 in its inbox',
    'both      are stopped, and their files are gone',
  ]);
  const urls = addressesIn(program.output());
  expect(urls).toHaveLength(2);
  expect(await Promise.all(urls.map(isServed))).toEqual([false, false]);
  expect(readdirSync(folder)).toEqual([]);
});

test('one that is asked to stop cleans up, and says that it did not end well', async () => {
  const { folder, program } = start();
  const [url = ''] = addressesIn(await program.saying(/author +listens at /));
  program.child.kill('SIGTERM');
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain('stopped by SIGTERM');
  expect(await isServed(url)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});
