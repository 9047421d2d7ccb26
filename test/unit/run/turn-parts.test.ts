import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isProcessText } from '../../../src/http/contract/formats.js';
import { inPieces, type PartDraft, PartReading } from '../../../src/run/turn-parts.js';
import { pieceDraft } from '../../../src/tools/adapter/row-facts.js';
import type { CanonicalDraft } from '../../../src/tools/adapter/tool-adapter.js';
import { answerOf, draftsOf } from '../tools/cli-fixture.js';

const partsOf = (drafts: readonly CanonicalDraft[]): PartDraft[] => {
  const parts = new PartReading();
  return drafts.flatMap((draft) => parts.of(draft));
};

/** The messages that a reader sees, who does as the contract says. */
function messagesIn(parts: readonly PartDraft[]): string[] {
  const messages: string[] = [];
  for (const part of parts) {
    if (part.kind !== 'text') continue;
    const { text, position } = part.data;
    if (position === 'begins') messages.push(text);
    else if (position === 'replaces') messages[messages.length - 1] = text;
    else messages[messages.length - 1] += text;
  }
  return messages;
}

const whole = (text: string, data: Record<string, unknown> = {}): CanonicalDraft => ({
  kind: 'assistant',
  message: text,
  provider_event_type: 'assistant.text',
  data: { text, ...data },
  raw_payload: null,
});
const piece = (text: string): CanonicalDraft => pieceDraft('stream_event.text_delta', text);
const kindsOf = (parts: readonly PartDraft[]) => parts.map(({ kind }) => kind);

describe('the output of a real CLI', () => {
  test('Claude Code: pieces, and the whole message says nothing new', () => {
    const parts = partsOf(draftsOf('claude', '06-partial.stdout'));
    expect(parts.map(({ data }) => data)).toMatchObject([
      { text: 'FAKEREPLY-13 ', position: 'begins' },
      { text: '<<partial ', position: 'continues' },
      { text: 'please>>', position: 'continues' },
      { scope: 'turn', amounts: { input_tokens: 2687, output_tokens: 8 } },
    ]);
  });

  test.each([
    ['claude', '01-first.stdout'],
    ['claude', '06-partial.stdout'],
    ['codex', '01-first.stdout'],
    ['gemini', '01-first.stdout'],
  ] as const)('%s %s: the last message is the answer', (tool, file) => {
    const drafts = draftsOf(tool, file);
    expect(messagesIn(partsOf(drafts)).at(-1)).toBe(answerOf(tool, drafts));
  });

  test('a tool is used and has its result, by one id', () => {
    const drafts = draftsOf('claude', '12-tool-bash-denied.stdout');
    const [use, result] = partsOf(drafts).filter(({ kind }) => kind.startsWith('tool_'));
    expect(use).toMatchObject({ kind: 'tool_use', data: { name: 'Bash' } });
    expect(result).toMatchObject({ kind: 'tool_result', data: { is_error: true } });
    const idOf = (part: PartDraft | undefined) =>
      (part?.data as { tool_use_id: string } | undefined)?.tool_use_id;
    expect(idOf(use)).toMatch(/^toolu_/);
    expect(idOf(result)).toBe(idOf(use));
  });

  test('an API error is a notice and no text', () => {
    const parts = partsOf(draftsOf('claude', '15-err401-maxretries1.stdout'));
    expect(parts.filter(({ kind }) => kind === 'text')).toEqual([]);
    expect(parts.filter(({ kind }) => kind === 'notice').map(({ data }) => data)).toMatchObject([
      { severity: 'warning', text: expect.stringContaining('retry 1 of 1') },
      { severity: 'error', text: expect.stringContaining('authentication_error') },
    ]);
  });
});

describe('a message', () => {
  test('is the same however it comes in pieces, with its whole or without', () => {
    const text = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), fc.boolean(), (pieces, hasWhole) => {
        const message = pieces.join('');
        const drafts = [...pieces.map(piece), ...(hasWhole ? [whole(message)] : [])];
        expect(messagesIn(partsOf(drafts))).toEqual([message]);
      }),
    );
  });

  test('is the whole where its pieces were not all of it, or something else', () => {
    expect(messagesIn(partsOf([piece('Hello '), whole('Hello world')]))).toEqual(['Hello world']);
    expect(partsOf([piece('Hello '), whole('Hello world')]).at(-1)?.data).toEqual({
      text: 'world',
      position: 'continues',
    });
    expect(partsOf([piece('Hullo'), whole('Hello')]).at(-1)?.data).toEqual({
      text: 'Hello',
      position: 'replaces',
    });
  });

  test('ends with its whole, and with a tool; not with a line on stderr', () => {
    const [use, stderr] = [
      { ...whole(''), kind: 'action_request', data: { name: 'Bash' } },
      { ...whole('warning'), kind: 'diagnostic', data: { severity: 'warning' } },
    ] as const;
    expect(messagesIn(partsOf([piece('a'), whole('a'), piece('b')]))).toEqual(['a', 'b']);
    expect(messagesIn(partsOf([piece('a'), use, piece('b')]))).toEqual(['a', 'b']);
    expect(messagesIn(partsOf([piece('a'), stderr, piece('b')]))).toEqual(['ab']);
  });

  test('of another agent that the tool runs is none of the turn', () => {
    expect(partsOf([whole('inner', { parent_tool_use_id: 'toolu_1' }), whole('outer')])).toEqual([
      { kind: 'text', data: { text: 'outer', position: 'begins' } },
    ]);
  });
});

describe('usage', () => {
  test('names the model of the first row', () => {
    const usage = partsOf(draftsOf('claude', '01-first.stdout')).at(-1);
    expect(usage).toMatchObject({ kind: 'usage', data: { model: 'claude-opus-5-5' } });
  });

  test('is left out where the tool reports none, and for a result of no turn', () => {
    const result = (data: Record<string, unknown>): CanonicalDraft => ({
      ...whole(''),
      kind: 'completion',
      data,
    });
    expect(kindsOf(partsOf([result({ usage: null })]))).toEqual([]);
    expect(kindsOf(partsOf([result({ usage: { input_tokens: 1 }, of_no_turn: true })]))).toEqual([]);
    expect(kindsOf(partsOf([result({ usage: { input_tokens: 1 } })]))).toEqual(['usage']);
  });
});

test('a text too long for one line is divided, and no character is', () => {
  fc.assert(
    fc.property(fc.constantFrom('a', 'é', '🙂'), fc.integer({ min: 1, max: 200_000 }), (unit, count) => {
      const text = unit.repeat(count);
      const pieces = inPieces({ kind: 'text', data: { text, position: 'begins' } });
      expect(messagesIn(pieces)).toEqual([text]);
      for (const { data } of pieces) {
        const each = (data as { text: string }).text;
        expect(each.length).toBeLessThanOrEqual(64 * 1024);
        expect(isProcessText(each)).toBe(true);
      }
    }),
    { numRuns: 20 },
  );
});
