import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSamePrompt, textToPaste } from '../../../src/tools/pasted-prompt.js';

test.each([
  'look at @READ',
  'first\nlook at @my\\ file',
  'use $skill',
  '/',
  '/help',
  '/chat list',
  '@',
  '/a\nb',
])('a blank after %j closes the list that Codex and Gemini CLI open', (text) => {
  expect(textToPaste('codex', text)).toBe(`${text} `);
  expect(textToPaste('gemini', text)).toBe(`${text} `);
  expect(textToPaste('claude', text)).toBe(text);
  expect(textToPaste(null, text)).toBe(text);
});

test.each(['look at it', '@file\nis what I mean', 'and/or', 'look at @READ ', '/help\n', ''])(
  '%j is pasted as it stands',
  (text) => expect(textToPaste('gemini', text)).toBe(text),
);

test('the pasted text is the same prompt for any comparison with a row of the agent', () => {
  const part = fc.constantFrom('@', '$', '/', 'a', ' ', '\n', '\\');
  const text = fc.array(part).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.constantFrom('claude', 'codex', 'gemini'), (typed, tool) => {
      expect(isSamePrompt(tool, typed, textToPaste(tool, typed))).toBe(true);
    }),
  );
});
