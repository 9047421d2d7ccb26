import { describe, expect, it } from 'vitest';
import { rowOf } from '../../../../src/tools/adapter/json-value.js';
import { conversationOfChat, GeminiChat } from '../../../../src/tools/gemini/gemini-chat.js';
import { factLines, factsOf, sampleText } from '../session-sample.js';

const read = (...rows: object[]) =>
  factsOf(new GeminiChat('g1'), rows.map((row) => JSON.stringify(row)).join('\n'));
const linesOf = (...rows: object[]): string[] => factLines(read(...rows));

const user = (text: string): object => ({ type: 'user', content: [{ text }] });
const answer = (id: string, content: unknown, more: object = {}): object => ({
  id,
  type: 'gemini',
  content,
  model: 'm',
  tokens: { input: 10, output: 2, total: 12 },
  ...more,
});
const context = user('<session_context>\nThis is the Gemini CLI.');
const rewind = { $set: { messages: [] } };
const header = { sessionId: 's', projectHash: 'h', kind: 'main' };

describe('a chat of Gemini CLI', () => {
  it('a turn in all its facts', () => {
    const facts = factsOf(new GeminiChat('g1'), sampleText('gemini/chat-permission-and-replay.jsonl'));
    expect(facts.slice(0, 2)).toEqual([
      {
        kind: 'prompt_taken',
        text: '[[tool=run_shell_command {"command":"touch /work/project/g1","description":"make"}]]',
        pending: false,
        evidence: 'user row at byte 0 of sample',
        at: '2026-11-22T18:38:02.156Z',
        conversation: 'g1',
        turn: null,
      },
      {
        kind: 'turn_ended',
        outcome: 'completed',
        settled: false,
        answer: expect.stringMatching(/^FAKEREPLY-705 /),
        model: 'gemini-2.5-flash',
        // The row before the call of the tool comes twice and counts once.
        usage: {
          input_tokens: 251 + 366,
          cached_input_tokens: 0,
          output_tokens: 37,
          thoughts_token_count: 0,
          total_tokens: 256 + 398,
        },
        error: null,
        evidence: 'gemini row at byte 7 of sample',
        at: '2026-11-22T18:38:03.910Z',
        conversation: 'g1',
        turn: null,
      },
    ]);
  });

  it('words before the call of a tool look like an end, and are none that is settled', () => {
    expect(
      linesOf(
        ...[user('p'), answer('a', 'I look.'), answer('a', 'I look.', { toolCalls: [{ name: 'x' }] })],
        ...[answer('b', ''), answer('b', [{ text: 'Done.' }])],
      ),
    ).toEqual([
      ...['- prompt_taken: p', '- turn_ended completed, not settled: I look.'],
      '- turn_ended completed, not settled: Done.',
    ]);
  });

  it('what is said once more is no news', () => {
    const replayed = answer('c', [{ text: 'old' }], { model: undefined, tokens: null });
    const lines = linesOf(user('p'), context, replayed, user('p'), user('q'), replayed, rewind, user('new'));
    expect(lines).toEqual(['- prompt_taken: p', '- prompt_taken: new']);
    expect(linesOf(context, user('old'), header, user('new'))).toEqual(['- prompt_taken: new']);
    expect(linesOf(context, user('old'), answer('a', 'x'), user('new'))).toEqual([
      ...['- turn_ended completed, not settled: x', '- prompt_taken: new'],
    ]);
    expect(linesOf({ $set: { lastUpdated: 'now' } }, user('p'))).toEqual(['- prompt_taken: p']);
    expect(linesOf(context, { $set: { lastUpdated: 'now' } }, user('old'))).toEqual([]);
  });

  it('an interrupted or failed turn ends once, and nothing ends between turns', () => {
    const cancelled = { type: 'info', content: 'Request cancelled.' };
    const failed = { type: 'error', content: 'no' };
    expect(linesOf(header, cancelled, failed)).toEqual([]);
    expect(linesOf(user('p'), cancelled, failed, cancelled)).toEqual([
      ...['- prompt_taken: p', '- turn_ended interrupted: null'],
    ]);
    expect(linesOf(user('p'), failed, cancelled)).toEqual([
      ...['- prompt_taken: p', '- turn_ended failed: null null no'],
    ]);
    expect(linesOf(user('p'), { type: 'info', content: 'A new version is there.' })).toEqual([
      '- prompt_taken: p',
    ]);
  });

  it('usage is that of one turn', () => {
    const facts = read(
      user('p'),
      answer('a', 'x'),
      user('q'),
      answer('b', 'y', { tokens: null }),
      answer('c', 'z'),
    );
    expect(facts.map((fact) => 'usage' in fact && fact.usage?.input_tokens)).toEqual([
      false,
      10,
      false,
      undefined,
      10,
    ]);
  });
});

it('the first row names the conversation', () => {
  const [first = '', second = ''] = sampleText('gemini/chat-basic.jsonl').split('\n');
  expect(conversationOfChat(rowOf(first) ?? {})).toBe('30713b5a-0b6c-4c83-bd84-f31b3b62da4b');
  expect(conversationOfChat(rowOf(second) ?? {})).toBeNull();
  expect(conversationOfChat({ $set: { sessionId: 'x' } })).toBeNull();
});
