import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileText } from '../../../src/contract/file-text.js';
import { StreamedText } from '../../../src/contract/handler-types.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { serveToys, toyHandlers } from '../../support/toy-surface.js';

let toys: Awaited<ReturnType<typeof serveToys>>;
let path: string;
/** The answer of the handler; set by each test. */
let tell: (range: string | undefined, reply: (...args: unknown[]) => unknown) => unknown;
beforeEach(async () => {
  path = join(temporaryFolder(), 'story.txt');
  tell = async (range, reply) => {
    const found = await fileText(path, range);
    return found.status === 416
      ? reply(416, { operation: found.detail }, found.headers)
      : reply(found.status, found.text, found.headers);
  };
  const handlers = {
    ...toyHandlers(),
    tellStory: ({ headers }: { headers: { Range?: string } }, reply: never) => tell(headers.Range, reply),
  };
  toys = await serveToys(handlers);
});
afterEach(() => toys.abandon());

const ask = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${toys.url}/toys/bear/story`, { method, headers });
const reported = [
  'content-type',
  'content-length',
  'accept-ranges',
  'x-content-type-options',
  'cache-control',
  'x-request-id',
];
const accepted = { 'Accept-Ranges': 'bytes' };

test('a text is sent with its length, whole or in part', async () => {
  writeFileSync(path, 'Es war einmal ein Bär.');
  const whole = await ask();
  expect([whole.status, await whole.text()]).toEqual([200, 'Es war einmal ein Bär.']);
  expect(Object.fromEntries(reported.map((name) => [name, whole.headers.get(name)]))).toEqual({
    'content-type': 'text/plain; charset=utf-8',
    'content-length': '23',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'x-request-id': expect.stringMatching(/^http-/),
  });
  const part = await ask({ range: 'bytes=3-5' });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    206,
    'bytes 3-5/23',
    'war',
  ]);
  const beyond = await ask({ range: 'bytes=99-' });
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */23']);
  expect(await beyond.json()).toEqual({ operation: 'The file has 23 bytes; bytes=99- is beyond them.' });
  expect(toys.faults).toEqual([]);
});

test('HEAD gets the length and no text', async () => {
  writeFileSync(path, 'x'.repeat(1000));
  const answer = await ask({}, 'HEAD');
  expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([
    200,
    '1000',
    '',
  ]);
});

test('a large text is read no faster than its caller takes it', async () => {
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  const chunks = 256;
  let read = 0;
  function* reported() {
    for (; read < chunks; read += 1) yield chunk;
  }
  tell = (_range, reply) =>
    reply(200, new StreamedText(chunks * chunk.length, Readable.from(reported())), accepted);
  let length = 0;
  let most = 0;
  const { body } = await ask();
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    length += part.length;
    most = Math.max(most, read * chunk.length - length);
  }
  expect(length).toBe(chunks * chunk.length);
  // The text that the two sockets and both streams hold in between.
  expect(most).toBeLessThan((chunks * chunk.length) / 4);
});

test('a text that breaks off is seen to, and reported', async () => {
  tell = (_range, reply) => reply(200, new StreamedText(10, Readable.from([Buffer.from('short')])), accepted);
  await expect(ask().then((answer) => answer.text())).rejects.toThrow();
  await expect.poll(() => toys.faults).toEqual([expect.stringContaining('a text of 10 bytes ended after 5')]);
  const failing = new Readable({
    read() {
      this.destroy(new Error('disk is gone'));
    },
  });
  tell = (_range, reply) => reply(200, new StreamedText(10, failing), accepted);
  await expect(ask().then((answer) => answer.text())).rejects.toThrow();
  await expect.poll(() => toys.faults[1]).toContain('disk is gone');
});

test('a caller that goes away ends the reading, and that is no fault', async () => {
  const source = new Readable({
    read() {
      this.push(Buffer.alloc(64 * 1024));
    },
  });
  tell = (_range, reply) => reply(200, new StreamedText(Number.MAX_SAFE_INTEGER, source), accepted);
  const socket = connect(toys.port, '127.0.0.1');
  socket.write('GET /toys/bear/story HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await once(socket, 'data');
  socket.destroy();
  await expect.poll(() => source.destroyed).toBe(true);
  expect((await ask({ range: 'bytes=1-2' }, 'HEAD')).status).toBe(200);
  expect(toys.faults).toEqual([]);
});

test('an answer that the contract does not have is reported, and none is left open', async () => {
  const text = () => new StreamedText(4, Readable.from([Buffer.from('once')]));
  tell = (_range, reply) => reply(200, text());
  expect(await (await ask()).text()).toBe('once');
  tell = (_range, reply) => reply(206, text(), accepted);
  await (await ask()).text();
  tell = (_range, reply) => reply(416, text());
  await (await ask()).text();
  tell = (_range, reply) => reply(200, { operation: 'JSON' }, accepted);
  await (await ask()).text();
  expect(toys.faults).toEqual([
    expect.stringContaining('the header Accept-Ranges is missing'),
    expect.stringContaining('the header Content-Range is missing'),
    expect.stringContaining('the contract has no such text'),
    expect.stringContaining('no schema defined for status code'),
  ]);
});

test('where answers are strict, one that breaks the contract is a fault and closes its text', async () => {
  const sources: Readable[] = [];
  const strict = await serveToys(
    {
      ...toyHandlers(),
      tellStory: (_context: never, reply: (...args: unknown[]) => unknown) => {
        sources.push(Readable.from([Buffer.from('once')]));
        return reply(200, new StreamedText(4, sources[0]!));
      },
    },
    { strictAnswers: true },
  );
  const answer = await fetch(`${strict.url}/toys/bear/story`);
  expect([answer.status, sources.map(({ destroyed }) => destroyed)]).toEqual([500, [true]]);
  await answer.text();
  strict.abandon();
});
