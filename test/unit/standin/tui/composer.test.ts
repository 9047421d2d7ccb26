import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  emptyDraft,
  erased,
  lineCleared,
  pasted,
  reviewed,
  submitted,
  typed,
} from '../../../../standin/src/tui/composer.js';

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index}`).join('\n');

describe('a draft', () => {
  test('is what was typed and pasted, in order', () => {
    const draft = pasted(typed(emptyDraft, 'see '), 'one\rtwo', 1);
    expect(draft).toEqual({ text: 'see one\ntwo', pastes: [] });
    expect(submitted(draft, '4516')).toMatchObject({ display: 'see one\ntwo', prompt: 'see one\ntwo' });
  });

  test('is trimmed at its end only, and composed', () => {
    const sent = submitted(typed(emptyDraft, '  cafe\u0301 \n \n'), '4516');
    expect(sent.prompt).toBe('  caf\u00e9');
    expect(sent.display).toBe('  cafe\u0301');
  });

  test('shows a placeholder for a large paste and sends its text between marks', () => {
    const text = `${lines(61)}  `;
    const draft = pasted(typed(emptyDraft, 'pending '), text, 1);
    expect(draft.text).toBe('pending [Pasted text #1 +60 lines]');
    const sent = submitted(typed(draft, ' after'), '4516');
    expect(sent.prompt).toBe(
      `pending \n\n<pasted_content id="4516">\n${text}\n</pasted_content id="4516">\n after`,
    );
    expect(sent.text).toBe(`pending ${text} after`);
  });

  test('takes typed text that looks like a placeholder for text', () => {
    const draft = typed(pasted(emptyDraft, lines(5), 2), ' [Pasted text #1 +4 lines]');
    expect(submitted(draft, '4516').text).toBe(`${lines(5)} [Pasted text #1 +4 lines]`);
  });

  test('sends what was pasted, whatever is in it', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '$', '&', '[', '\n', '漢', '[Pasted text #1]', '\\1'),
    });
    fc.assert(
      fc.property(fc.array(text), (pastes) => {
        const draft = pastes.reduce((before, each, index) => pasted(before, each, index + 1), emptyDraft);
        expect(submitted(typed(draft, '.'), '4516').text).toBe(`${pastes.join('')}.`);
      }),
    );
  });

  test('loses a character, or a placeholder as a whole', () => {
    expect(erased(typed(emptyDraft, 'a👍')).text).toBe('a');
    const draft = pasted(typed(emptyDraft, 'a'), lines(9), 1);
    expect(erased(draft)).toEqual({ text: 'a', pastes: [] });
    expect(erased(emptyDraft)).toEqual(emptyDraft);
  });

  test('loses the text of a line, then the empty line', () => {
    const draft = typed(emptyDraft, 'one\ntwo\nthree');
    const texts = [draft];
    for (let index = 0; index < 6; index += 1) texts.push(lineCleared(texts.at(-1) ?? emptyDraft));
    expect(texts.map(({ text }) => text)).toEqual([
      'one\ntwo\nthree',
      'one\ntwo\n',
      'one\ntwo',
      'one\n',
      'one',
      '',
      '',
    ]);
  });

  test('is asked about when it turns the direction of writing', () => {
    const { draft, removed } = reviewed(typed(emptyDraft, 'a\u202eb'));
    expect([draft.text, removed]).toEqual(['ab', 1]);
  });
});
