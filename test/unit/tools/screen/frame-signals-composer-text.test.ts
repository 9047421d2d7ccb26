import fc from 'fast-check';
import { expect, it } from 'vitest';
import { composerTextKind } from '../../../../src/tools/screen/frame-signals.js';
import { runsFrom, toStyledRows } from '../../../../src/tools/screen/styled-rows.js';

const kindOf = (text: string): string => composerTextKind(runsFrom(toStyledRows(text)[0]!, 2));

it.each([
  ['❯', 'empty'],
  ['❯ \u001b[7m ', 'empty'],
  ['❯ text', 'draft'],
  ['❯ \u001b[38;5;9mtext', 'draft'],
  ['❯ te\u001b[7mx\u001b[0mt', 'draft'],
  ['❯ typed \u001b[2mand suggested', 'draft'],
  ['❯ \u001b[2msay something', 'placeholder'],
  ['❯ \u001b[7ms\u001b[0;2may something', 'placeholder'],
  ['❯ \u001b[7mx', 'unknown'],
  ['❯ \u001b[4munderlined', 'unknown'],
  ['❯ \u001b[2mdim \u001b[22;4munderlined', 'unknown'],
])('%j is %s', (text, kind) => {
  expect(kindOf(text)).toBe(kind);
});

it('text in the style of a suggestion was not typed', () => {
  const runs = runsFrom(toStyledRows('❯ \u001b[38;5;231;48;5;237mtext')[0]!, 2);
  expect(composerTextKind(runs, (run) => run.background === null)).toBe('placeholder');
});

it('the runs from a place on are the text from that place on', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('ab', '\u001b[2m', '\u001b[0m', ' c'), { minLength: 1 }),
      fc.nat(12),
      (parts, start) => {
        const row = toStyledRows(`x${parts.join('')}`)[0]!;
        expect(
          runsFrom(row, start)
            .map((run) => run.text)
            .join(''),
        ).toBe(row.text.slice(start));
      },
    ),
  );
});
