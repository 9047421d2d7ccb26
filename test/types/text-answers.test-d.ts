// Compiled, never run: every line below a @ts-expect-error must not compile, all others must.
import type { Handler } from '../../generated/managed-agent/server/index.js';
import type { FileText } from '../../src/contract/file-text.js';
import type { StreamedText } from '../../src/contract/handler-types.js';

declare const found: FileText;
declare const text: StreamedText;

// A file is answered as it was found.
export const file: Handler<'getTurnStdout'> = ({ headers }, reply) => {
  const range: string | undefined = headers.Range;
  if (found.status === 416) return reply(416, { detail: `${range} ${found.detail}` }, found.headers);
  if (found.status === 206) return reply(206, found.text, found.headers);
  return reply(200, found.text, found.headers);
};

export const string: Handler<'getTurnStdout'> = (_context, reply) =>
  // @ts-expect-error a text in memory
  reply(200, 'all of it');
export const json: Handler<'getTurnStdout'> = (_context, reply) =>
  // @ts-expect-error JSON where the contract has a text
  reply(200, { detail: 'x' });
export const stream: Handler<'getTurn'> = (_context, reply) =>
  // @ts-expect-error a text where the contract has JSON
  reply(200, text);
export const unit: Handler<'getTurnStdout'> = (_context, reply) =>
  // @ts-expect-error a value that the header does not take
  reply(200, text, { 'Accept-Ranges': 'lines' });
