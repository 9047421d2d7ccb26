import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type RawOptions, raw, request, submission } from './support/raw-http.js';
import { serve } from './support/served.js';

const served = serve();
const send = (bytes: string | Buffer, options?: RawOptions) => raw(served.gateway.port, bytes, options);
const interrupt = '{"kind":"interrupt","payload":{}}';
const mebibyte = 1024 * 1024;

describe('the size of a body', () => {
  test('is 1 MiB at most', async () => {
    const fits = await send(submission(interrupt.padEnd(mebibyte)));
    expect(fits.status).toBe(202);
    for (const path of ['/v1/requests', '/v1/control/prompt', '/v1/reminders', '/v1/mail-notifier']) {
      const method = path.endsWith('notifier') ? 'PUT' : 'POST';
      const head = request(`${method} ${path}`, {
        'Content-Type': 'application/json',
        'Content-Length': String(mebibyte + 1),
      });
      // Answered before anything of the body was sent.
      const { status, json } = await send(head);
      expect([path, status]).toEqual([path, 413]);
      expect(json.detail).toBe('The body is larger than 1048576 bytes.');
    }
  });

  test('is 16 MiB at most for mail', async () => {
    const head = (length: number) => ({
      'Content-Type': 'application/json',
      'Content-Length': String(length),
    });
    const fits = await send(request('POST /v1/mail/list', head(16 * mebibyte), '{}'.padEnd(16 * mebibyte)));
    expect([fits.status, fits.json.detail]).toEqual([422, expect.stringContaining('mailbox')]);
    expect((await send(request('POST /v1/mail/list', head(16 * mebibyte + 1)))).status).toBe(413);
  });

  test('is counted where it is not announced', async () => {
    const chunk = `${(mebibyte / 2).toString(16)}\r\n${' '.repeat(mebibyte / 2)}\r\n`;
    const head = request('POST /v1/requests', {
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    });
    expect((await send(`${head}${chunk}${chunk}${chunk}`)).status).toBe(413);
  });

  test('that is too large does not keep a caller from reading why', async () => {
    const { status, body } = await served.ask('POST', '/v1/requests', ' '.repeat(8 * mebibyte));
    expect([status, body.detail]).toEqual([413, 'The body is larger than 1048576 bytes.']);
  });

  test('in chunks is read as one', async () => {
    const head = request('POST /v1/requests', {
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    });
    const chunks = [interrupt.slice(0, 7), interrupt.slice(7)].map(
      (text) => `${text.length.toString(16)}\r\n${text}\r\n`,
    );
    expect((await send(`${head}${chunks.join('')}0\r\n\r\n`)).status).toBe(202);
  });
});

describe('the type of a body', () => {
  const typed = (type: string) => send(request('POST /v1/requests', { 'Content-Type': type }, interrupt));

  test.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=utf-16',
    'application/json ; a=b; c="d;e"',
    'application/vnd.x+json',
    'application/merge-patch+json; charset=utf-8',
  ])('%s is JSON', async (type) => {
    expect((await typed(type)).status).toBe(202);
  });

  test.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json5',
    'application/+json',
    'application/x+jsonx',
    'x/application/json',
    'application/json, text/plain',
    'text/plain; application/json',
    'json',
    '*/*',
  ])('%s is not: 415', async (type) => {
    const { status, json } = await typed(type);
    expect([status, json.detail]).toEqual([415, `Content-Type ${type} is not JSON; send application/json.`]);
  });

  test('missing is 415', async () => {
    const { status, json } = await send(request('POST /v1/requests', {}, interrupt));
    expect([status, json.detail]).toEqual([415, 'Content-Type is missing; send application/json.']);
    expect((await send(request('POST /v1/requests'))).status).toBe(415);
  });

  test('compressed is 415', async () => {
    const packed = gzipSync(interrupt);
    for (const encoding of ['gzip', 'deflate', 'br', 'x-unknown']) {
      const head = request('POST /v1/requests', {
        'Content-Type': 'application/json',
        'Content-Encoding': encoding,
        'Content-Length': String(packed.length),
      });
      const { status, json } = await send(Buffer.concat([Buffer.from(head), packed]));
      expect([status, json.detail]).toEqual([
        415,
        `Content-Encoding ${encoding} is not supported; send plain JSON.`,
      ]);
    }
    expect((await send(submission(interrupt, { 'Content-Encoding': 'identity' }))).status).toBe(202);
  });
});
