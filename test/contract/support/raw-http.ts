import { connect } from 'node:net';
import { expect } from 'vitest';
import { expectClean } from './clean-answer.js';

export interface RawAnswer {
  status: number;
  headers: ReadonlyMap<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  json: any;
  /** Whether the server ended the connection. */
  closed: boolean;
}

export interface RawOptions {
  /** End our half after sending. */
  end?: boolean;
  /** The answer has no body whatever its header says. */
  head?: boolean;
}

/**
 * Sends bytes as they are and reads one answer. Whatever comes back is looked at: JSON in the envelope, with a request
 * id, nothing from inside.
 */
export async function raw(
  port: number,
  bytes: string | Buffer,
  options: RawOptions = {},
): Promise<RawAnswer> {
  const answer = await exchange(port, bytes, options);
  expectClean(answer.text);
  expect(answer.headers.get('x-request-id')).toMatch(/^http-[0-9a-f]+$/);
  if (answer.status !== 204 && answer.status !== 304)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  if (answer.status >= 400 && !options.head) expect(Object.keys(answer.json)).toEqual(['detail']);
  return answer;
}

function exchange(port: number, bytes: string | Buffer, options: RawOptions): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = connect(port, '127.0.0.1');
    const done = (closed: boolean): void => {
      const answer = parse(received, options.head ?? false);
      if (!answer && !closed) return;
      socket.destroy();
      if (answer) resolve({ ...answer, closed: closed || answer.headers.get('connection') === 'close' });
      else reject(new Error(`no whole answer: ${received.toString('latin1').slice(0, 500)}`));
    };
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      done(false);
    });
    socket.on('close', () => done(true));
    socket.on('error', (error) => (received.length > 0 ? done(true) : reject(error)));
    if (options.end) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** @returns null while the answer is not whole. */
function parse(received: Buffer, head: boolean): Omit<RawAnswer, 'closed'> | null {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const length = head ? 0 : Number(headers.get('content-length') ?? 0);
  const body = received.subarray(end + 4);
  if (body.length < length) return null;
  // Bytes behind the announced body would be a second answer, or a body where none may be.
  expect(body.length).toBe(length);
  const text = body.toString('utf8');
  return { status: Number(first.split(' ')[1]), headers, text, json: text === '' ? null : JSON.parse(text) };
}

/** A request as text; `Host` is added unless given. */
export function request(line: string, headers: Record<string, string> = {}, body = ''): string {
  const all = {
    Host: '127.0.0.1',
    ...(body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** A JSON submission. */
export const submission = (body: string, headers: Record<string, string> = {}): string =>
  request('POST /v1/requests', { 'Content-Type': 'application/json', ...headers }, body);
