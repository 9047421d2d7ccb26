import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordsOf } from '../../../../src/mail/message/mail-text.js';
import { fenceOf, fenceText, hasFence } from '../../../../src/mail/message/notice.js';

const open = '```houmao-notify';
const fence = (...lines: string[]): string => [open, ...lines, '```'].join('\n');

test.each([
  ['one fence', fence('x'), 'x'],
  ['between text', `Hello.\n\n${fence('x')}\n\nBye.`, 'x'],
  ['CRLF', fence('x').replaceAll('\n', '\r\n'), 'x'],
  ['lines that end as Python ends them', `a\u2028${open}\u0085x\u001c\`\`\``, 'x'],
  ['two fences', `${fence('first')}\n${fence('second')}`, 'first'],
  ['an empty fence, then another', `${fence()}\n${fence('good')}`, 'good'],
  ['a blank fence, then another', `${fence(' ', '')}\n${fence('good')}`, 'good'],
  ['an opening line inside', [open, 'foo', open, 'good', '```'].join('\n'), `foo\n${open}\ngood`],
  ['no end', `${open}\nx`, null],
  ['an empty fence, then one without end', `${fence()}\n${open}\nx`, null],
  ['blanks around lines', fence('   a  ', '   b  ', ''), 'a  \n   b'],
  ['blanks before the name', '```   houmao-notify  \nx\n```  ', 'x'],
  ['inside another fence', `\`\`\`python\n${fence('x')}\n\`\`\``, 'x'],
  ['a blank in front', ` ${open}\nx\n\`\`\``, null],
  ['four backticks', `\`${open}\nx\n\`\`\``, null],
  ['tildes', '~~~houmao-notify\nx\n~~~', null],
  ['another word', '```houmao-notify now\nx\n```', null],
  ['braces', '```{houmao-notify}\nx\n```', null],
  ['capitals', '```Houmao-notify\nx\n```', null],
  ['a quotation', `> ${open}\n> x\n> \`\`\``, null],
  ['an end of four backticks', `${open}\nx\n\`\`\`\`\n\`\`\``, 'x\n````'],
  ['an end that is indented', `${open}\nx\n \`\`\`\n\`\`\``, 'x\n ```'],
  ['nothing', '', null],
])('%s', (_, body, text) => {
  expect(fenceText(body)).toBe(text);
});

test('a fence that begins counts even if it is empty or has no end', () => {
  expect([open, fence(), `text\n${open}\nx`].map(hasFence)).toEqual([true, true, true]);
  expect(['', 'houmao-notify', `> ${open}`].map(hasFence)).toEqual([false, false, false]);
});

const line = fc.oneof(
  fc.constantFrom('```', '``` ', '````', ' ```', open, '', 'x', '\u2028```', '```\u0085y'),
  fc.string({ unit: 'binary' }),
);

test('no text closes the fence that it is put into, and nothing of it is read as something else', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), (lines) => {
      const text = lines.join('\n');
      const after = '\n\nthe body goes on';
      const found = fenceText(fenceOf(text) + after) ?? '';
      expect(found).not.toContain('the body goes on');
      // Blanks aside, what comes out went in.
      const plain = (of: string): string => [...wordsOf(of)].join('');
      expect(plain(found)).toBe(plain(text));
    }),
    { numRuns: 500 },
  );
});
