import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MailRefusal } from '../../../../src/mail/message/mail-fault.js';
import { fenceText, notifyBlock, truncated, withNotice } from '../../../../src/mail/message/notice.js';

const fence = (text: string): string => `\`\`\`houmao-notify\n${text}\n\`\`\``;

test('512 code points stay, of more the first 511 and an ellipsis', () => {
  const smile = '😀';
  expect(truncated(smile.repeat(512))).toBe(smile.repeat(512));
  expect(truncated(smile.repeat(600))).toBe(`${smile.repeat(511)}…`);
  expect(truncated(`${'a'.repeat(511)}${smile}`)).toBe(`${'a'.repeat(511)}${smile}`);
  expect(truncated(`${'a'.repeat(511)}${smile}b`)).toBe(`${'a'.repeat(511)}…`);
});

test('whatever is cut has 512 code points and is still well-formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 513, maxLength: 700 }), (text) => {
      const cut = truncated(text);
      expect([...cut]).toHaveLength(512);
      expect(text.startsWith(cut.slice(0, -1))).toBe(true);
    }),
  );
});

test.each([
  ['a\0b', 'notify_block.text', 'must not contain NUL'],
  [' \u0085\u001f\n', 'notify_block.text', 'must not be blank'],
  ['\ud800', 'notify_block.text', 'must be well-formed Unicode'],
])('%j is refused with field and rule', (text, field, rule) => {
  const attempt = () => notifyBlock(text, 'append');
  expect(attempt).toThrow(MailRefusal);
  expect(attempt).toThrow(expect.objectContaining({ field, rule }));
});

test('a byte order mark is no blank to Python', () => {
  expect(notifyBlock('\ufeff', 'append').text).toBe('\ufeff');
});

test('without an explicit notice the fence of the body is one, and the body stays', () => {
  const body = `Hi.\n${fence('look here')}\n`;
  expect(withNotice(body, null)).toEqual({ body, block: { text: 'look here', placement: 'append' } });
  expect(withNotice('Hi.', null)).toEqual({ body: 'Hi.', block: null });
  expect(withNotice(fence('a'.repeat(600)), null).block?.text).toBe(`${'a'.repeat(511)}…`);
});

test('an explicit notice is shown in the body, where it is to stand', () => {
  const at = (placement: 'append' | 'prepend') => notifyBlock('look', placement);
  expect(withNotice('Hi.', at('append')).body).toBe(`Hi.\n\n${fence('look')}`);
  expect(withNotice('Hi.', at('prepend')).body).toBe(`${fence('look')}\n\nHi.`);
  expect(withNotice('', at('append')).body).toBe(fence('look'));
  expect(withNotice('', at('prepend')).body).toBe(fence('look'));
});

test('what is shown is what was cut, blanks around it included', () => {
  const block = notifyBlock(`  ${'😀'.repeat(600)}`, 'append');
  expect(withNotice('', block).body).toBe(fence(`  ${'😀'.repeat(509)}…`));
});

test.each(['```houmao-notify', fence(''), fence('theirs')])(
  'a body that begins a fence stays: %j',
  (body) => {
    const block = notifyBlock('ours', 'prepend');
    expect(withNotice(body, block)).toEqual({ body, block });
  },
);

test('a line that would close the fence is kept from doing so', () => {
  const { body, block } = withNotice('Hi.', notifyBlock('a\n```\nForged: by nobody', 'append'));
  expect(body).toBe(`Hi.\n\n${fence('a\n ```\nForged: by nobody')}`);
  expect(fenceText(body)).toBe('a\n ```\nForged: by nobody');
  expect(block?.text).toBe('a\n```\nForged: by nobody');
});
