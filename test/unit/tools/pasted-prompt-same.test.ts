import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolName } from '../../../src/tools/adapter/tool-adapter.js';
import { isSamePrompt } from '../../../src/tools/pasted-prompt.js';
import { toolNames } from '../../../src/tools/tool-registry.js';
import { factsOf, readerOf, sampleText } from './session-sample.js';

const pieces = [
  ...[
    'a',
    'B',
    'word',
    ' ',
    '  ',
    '\n',
    '\n\n',
    '\t',
    'ü',
    '漢',
    '🙂',
    '👩‍💻',
    '</pasted_content id="4516">',
  ],
  ...['\r\n', '\r', '\u2028', 'e\u0301', 'é', '\u200b', '\ufeff', '\u202e', '\u200d', '\u{e0041}', '"', '\\'],
  ...['\u001b[31m', '\u0007', '[31m', '<b>', '    '],
];
const prompt = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));

/** The prompt without what no tool keeps of a pasted text. */
const asTyped = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose.
  text.replace(/\r/g, '\n').replace(/\u001b\[31m|\u0007/g, '');
const invisible = /\u200b|\u200d|\ufeff|\u202e|\u{e0041}/gu;

/** The text that each tool writes for a pasted one, as it was seen; `wrapped` stands for a longer text in Claude Code. */
const written: Record<ToolName | 'wrapped', (typed: string) => string> = {
  claude: (typed) =>
    asTyped(typed)
      .replace(invisible, '')
      .replace(/\u2028/g, '\n')
      .replace(/\t/g, '    ')
      .normalize('NFC')
      .trimEnd(),
  wrapped: (typed) => `\n\n<pasted_content id="4f1a">\n${asTyped(typed)}\n</pasted_content id="4f1a">\n`,
  codex: (typed) => asTyped(typed).trim(),
  gemini: (typed) => asTyped(typed).replace(invisible, '').trim(),
};
const ways = ['claude', 'wrapped', 'codex', 'gemini'] as const;
const toolOf = (way: (typeof ways)[number]): ToolName => (way === 'wrapped' ? 'claude' : way);

describe('a prompt and its row', () => {
  it.each(ways)('%s: it is the same whatever the tool does to it', (way) => {
    fc.assert(
      fc.property(prompt, (typed) => {
        expect(isSamePrompt(toolOf(way), typed, written[way](typed))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  /** Visible characters, which no tool changes. */
  const visible = fc.string({ unit: fc.constantFrom('a', 'B', '1', 'é', '漢', '🙂'), minLength: 1 });

  it.each(ways)('%s: another prompt, a part of it, and it with more are not', (way) => {
    fc.assert(
      fc.property(prompt, visible, fc.constantFrom('', ' ', '\n', '\n\n'), (typed, more, between) => {
        const is = (row: string): boolean => isSamePrompt(toolOf(way), typed, row);
        expect(is(written[way](typed + between + more))).toBe(false);
        expect(is(written[way](more + between + typed))).toBe(false);
        expect(is(`${more}${written[way](typed)}`)).toBe(false);
        expect(is(`${written[way](typed)}${more}`)).toBe(false);
        expect(isSamePrompt(toolOf(way), typed + between + more, written[way](typed))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it.each(ways)('%s: two visible prompts are the same only when they are equal', (way) => {
    fc.assert(
      fc.property(visible, visible, (one, other) => {
        expect(isSamePrompt(toolOf(way), one, written[way](other))).toBe(one === other);
      }),
    );
  });

  it('differences that a tool keeps count', () => {
    expect(isSamePrompt('codex', 'a\tb', 'a    b')).toBe(false);
    expect(isSamePrompt('codex', 'e\u0301', 'é')).toBe(false);
    expect(isSamePrompt('codex', 'a\u200bb', 'ab')).toBe(false);
    expect(isSamePrompt('gemini', 'a\tb', 'a    b')).toBe(false);
    expect(isSamePrompt('gemini', 'e\u0301', 'é')).toBe(false);
    expect(isSamePrompt('gemini', 'a\u2028b', 'a\nb')).toBe(false);
    expect(isSamePrompt('claude', 'a\nb', 'a b')).toBe(false);
    for (const tool of toolNames) expect(isSamePrompt(tool, 'a', 'A')).toBe(false);
  });

  it('only Claude Code wraps, and only a whole wrapper is one', () => {
    const row = '\n\n<pasted_content id="4516">\nX\n</pasted_content id="4516">\n';
    expect(isSamePrompt('claude', 'X', row)).toBe(true);
    expect(isSamePrompt('codex', 'X', row)).toBe(false);
    expect(isSamePrompt('gemini', 'X', row)).toBe(false);
    expect(isSamePrompt('claude', 'X', `draft${row}`)).toBe(false);
    expect(isSamePrompt('claude', 'X', `${row}${row}`)).toBe(false);
    expect(isSamePrompt('claude', 'X', row.replace('4516', '4517'))).toBe(false);
  });

  it('Gemini CLI takes DEL for a key', () => {
    expect(isSamePrompt('gemini', 'ab🙂\u007fc', 'abc')).toBe(true);
    expect(isSamePrompt('codex', 'ab\u007fc', 'abc')).toBe(true);
  });

  it('what was pasted into Claude Code is in its rows', () => {
    const pasted = [
      ...['warm', 'line one\nline two\n\nline four', 'a\n\nb\nc', 'col1\tcol2\tend', '   leading spaces'],
      ...['trailing spaces   ', 'trailing newline\n', '\n\nleading newline', 'cafe\u0301 vs café'],
      ...['q " \\ \' ` $HOME <b>&amp; {"a":1}', 'bell\u0007esc\u001b[31mred del\u007f nul-less'],
    ];
    const file = 'claude/transcript-pasted-prompts.jsonl';
    const rows = factsOf(readerOf(file), sampleText(file)).map((fact) => 'text' in fact && fact.text);
    pasted.forEach((typed, index) => {
      rows.forEach((row, place) => {
        expect(isSamePrompt('claude', typed, row || '')).toBe(place === index);
      });
    });
  });
});
