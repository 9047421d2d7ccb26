import fc from 'fast-check';

// Mail that keeps to the rules here and there. Each character is a byte.

const oneOf = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const bytes = (maxLength: number): fc.Arbitrary<string> =>
  fc.uint8Array({ maxLength }).map((all) => Buffer.from(all).toString('latin1'));
/** No server of mail takes NUL, and a bare end of a line would be another header. */
const inLine = bytes(40).map((text) => text.replace(/[\0\r\n]/g, ' '));

const charset = oneOf('utf-8', 'iso-8859-1', 'utf-16le', 'utf-7', 'x-none', '', '../x', 'gb18030');
const word = fc
  .tuple(charset, oneOf('B', 'Q', 'b', 'X'), fc.boolean(), bytes(40))
  .map(([set, coding, isTrue, content]) => {
    const coded = Buffer.from(content, 'latin1').toString('base64');
    return `=?${set}?${coding}?${isTrue ? coded : content.replace(/[^!->@-~]/g, '=1B')}?=`;
  });
const phrase = fc
  .array(fc.oneof(word, inLine, oneOf('"', '<', '>', '@', ',', ';', ':', '\\', '(', ')', '\r\n ')), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''));
const address = fc
  .tuple(phrase, oneOf('<eve@world.test>', 'eve@world.test', '<>', '<eve>', 'x: eve@world.test;', '"', ''))
  .map(([name, at]) => `${name} ${at}`);

const header = fc.oneof(
  fc.tuple(oneOf('From', 'To', 'Cc', 'Reply-To', 'Sender', 'Resent-From'), address),
  fc.tuple(oneOf('Subject', 'Message-ID', 'References', 'In-Reply-To', 'Date', 'X-Houmao-Notify'), phrase),
  fc.tuple(oneOf('X-Houmao-Reply-Policy', 'Keywords', 'X-Odd', 'List-Id', 'Received'), phrase),
);

const type = fc.oneof(
  fc.tuple(
    oneOf('text/plain', 'text/html', 'image/png', 'message/rfc822', 'x', '/', 'text/calendar'),
    charset,
  ),
  fc.tuple(phrase, charset),
);
const name = fc
  .tuple(
    oneOf('filename', 'filename*', 'filename*0*', 'name'),
    oneOf('../../x', '/etc/x', '%00%0a', ''),
    phrase,
  )
  .map(([key, place, rest]) => `; ${key}="${place}${rest}"`);

interface Part {
  head: string[];
  body: string;
}
const leaf: fc.Arbitrary<Part> = fc
  .record({
    type,
    coding: oneOf('base64', 'quoted-printable', '8bit', '7bit', 'binary', 'x-none', ''),
    disposition: fc.option(fc.tuple(oneOf('attachment', 'inline', 'x'), name)),
    body: fc.oneof(
      bytes(300),
      bytes(300).map((text) => Buffer.from(text, 'latin1').toString('base64')),
    ),
  })
  .map(({ type: [kind, set], coding, disposition, body }) => ({
    head: [
      `Content-Type: ${kind}; charset=${set}`,
      ...(coding ? [`Content-Transfer-Encoding: ${coding}`] : []),
      ...(disposition ? [`Content-Disposition: ${disposition.join('')}`] : []),
    ],
    body,
  }));

const { part } = fc.letrec<{ part: Part }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'part' },
    leaf,
    fc
      .tuple(
        oneOf('mixed', 'alternative', 'related', 'digest', 'x'),
        oneOf('b', 'b b', '', '='),
        fc.array(tie('part'), { maxLength: 4, depthIdentifier: 'part' }),
        fc.boolean(),
      )
      .map(([kind, boundary, parts, isClosed]) => ({
        head: ['MIME-Version: 1.0', `Content-Type: multipart/${kind}; boundary="${boundary}"`],
        body: [
          ...parts.flatMap(({ head, body }) => [`--${boundary}`, ...head, '', body]),
          isClosed ? `--${boundary}--` : '',
        ].join('\r\n'),
      })),
  ),
}));

/** A message that a server of mail takes, if only because it looks no further than it must. */
export const anyMime: fc.Arbitrary<Buffer> = fc
  .tuple(fc.array(header, { maxLength: 8 }), part)
  .map(([headers, { head, body }]) => {
    const lines = [...headers.map(([key, value]) => `${key}: ${value}`), ...head];
    const text = [...lines.map((line) => line.replace(/[\0]|\r(?!\n )|(?<!\r)\n/g, ' ')), '', body].join(
      '\r\n',
    );
    return Buffer.from(text.replace(/\0/g, ' '), 'latin1');
  });
