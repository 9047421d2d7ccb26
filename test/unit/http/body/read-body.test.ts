import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BodyLimits, type ReadBody, readBody } from '../../../../src/http/body/read-body.js';

const limits: BodyLimits = { bytes: 200, values: 5, depth: 3 };

/** Reads bytes that arrive in the given pieces. @param announced whether their number is known from the header. */
function read(pieces: readonly Buffer[], announced: boolean): Promise<ReadBody[]> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const request = Object.assign(new PassThrough(), {
    headers: announced ? { 'content-length': String(length) } : {},
  });
  const seen: ReadBody[] = [];
  readBody(request as unknown as IncomingMessage, limits, (body) => seen.push(body));
  return new Promise((resolve) => {
    request.on('close', () => resolve(seen));
    for (const piece of pieces) request.write(piece);
    request.end();
  });
}

const bytes = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 60 }).map((array) => Buffer.from(array)),
  fc
    .array(fc.constantFrom('{', '}', '[', ']', ',', '"', '\\', 'a', 'é', '€', '😀', '\ufeff', '\n'), {
      minLength: 1,
      maxLength: 40,
    })
    .map((parts) => Buffer.from(parts.join(''))),
);

const troubleOf = (body: ReadBody | undefined): string | null =>
  body && body !== 'gone' && 'trouble' in body ? body.trouble : null;

test('a body is read to the same end whether its length is known or not, in one piece or in many', async () => {
  await fc.assert(
    fc.asyncProperty(bytes, fc.array(fc.nat(60), { maxLength: 3 }), async (body, cuts) => {
      const whole = await read([body], true);
      expect(whole).toHaveLength(1);
      const places = [0, ...cuts.map((cut) => cut % body.length).sort((a, b) => a - b), body.length];
      const pieces = places.slice(1).map((end, index) => body.subarray(places[index], end));
      const same = pieces.filter((piece) => piece.length > 0);
      expect(await read([body], false)).toEqual(whole);
      for (const announced of [true, false]) {
        const found = await read(same, announced);
        expect(found).toHaveLength(1);
        // Of several troubles, the one that is met first depends on the pieces.
        if (troubleOf(whole[0])) expect(troubleOf(found[0])).toEqual(expect.any(String));
        else expect(found).toEqual(whole);
      }
    }),
  );
});

test('a body beyond its limit is known at once, announced or not', async () => {
  const large = Buffer.alloc(201, ' ');
  expect(await read([large], true)).toEqual([{ trouble: 'too large', at: 0 }]);
  expect(await read([large], false)).toEqual([{ trouble: 'too large', at: 0 }]);
});

test('a caller that goes away leaves no body', async () => {
  for (const sent of [null, Buffer.from('{"a"')]) {
    const request = Object.assign(new PassThrough(), { headers: { 'content-length': '100' } });
    const seen: ReadBody[] = [];
    readBody(request as unknown as IncomingMessage, limits, (body) => seen.push(body));
    if (sent) request.write(sent);
    await new Promise<void>((resolve) => {
      request.once('close', () => resolve());
      setImmediate(() => request.destroy());
    });
    expect(seen).toEqual(['gone']);
  }
});
