import { describe, expect, it } from 'vitest';
import { CodexRollout } from '../../../../src/tools/codex/codex-rollout.js';
import { factLines, factsOf, sampleText } from '../session-sample.js';

const linesOf = (...rows: object[]): string[] =>
  factLines(factsOf(new CodexRollout('t1'), rows.map((row) => JSON.stringify(row)).join('\n')));
const event = (type: string, turn_id: string, more: object = {}): object => ({
  type: 'event_msg',
  payload: { type, turn_id, ...more },
});
const userMessage = (turn: string, ...texts: string[]): object =>
  event('item_completed', turn, {
    item: { type: 'UserMessage', content: texts.map((text) => ({ type: 'text', text })) },
  });

describe('a rollout of Codex', () => {
  it('a turn in all its facts', () => {
    const facts = factsOf(new CodexRollout('t1'), sampleText('codex/rollout-basic.jsonl'));
    expect(facts.slice(2)).toEqual([
      {
        kind: 'prompt_taken',
        text: 'codex prompt number 0 [[delay=600]]',
        pending: false,
        evidence: 'UserMessage row at byte 18 of sample',
        at: '2026-11-22T18:19:13.980Z',
        conversation: 't1',
        turn: '01a2047b-d49a-7141-9b7c-c1950de10e01',
      },
      {
        kind: 'turn_ended',
        outcome: 'completed',
        settled: true,
        answer: 'FAKEREPLY-196 <<codex prompt number 0>>',
        model: 'fake-model',
        usage: {
          input_tokens: 6641,
          cached_input_tokens: 0,
          cache_write_input_tokens: 0,
          output_tokens: 10,
          reasoning_output_tokens: 0,
          total_tokens: 6651,
        },
        error: null,
        evidence: 'task_complete row at byte 23 of sample',
        at: '2026-11-22T18:19:14.614Z',
        conversation: 't1',
        turn: '01a2047b-d49a-7141-9b7c-c1950de10e01',
      },
    ]);
  });

  it('a compaction is what /compact asked for, unless it comes in the turn of a prompt', () => {
    const compaction = (turn: string): object =>
      event('item_completed', turn, { item: { type: 'ContextCompaction', id: 'c' } });
    const rows = [
      ...[userMessage('a', 'work'), compaction('a'), event('task_complete', 'a')],
      ...[compaction('b'), event('task_complete', 'b'), userMessage('c', 'more')],
    ];
    const facts = factsOf(new CodexRollout('t1'), rows.map((row) => JSON.stringify(row)).join('\n'));
    expect(facts.map((fact) => (fact.kind === 'prompt_taken' ? fact.text : fact.kind))).toEqual([
      ...['work', 'turn_ended', '/compact', 'turn_ended', 'more'],
    ]);
  });

  it('the model and usage of another turn are not taken for this one', () => {
    const rows = [
      { type: 'turn_context', payload: { turn_id: 'a', model: 'm' } },
      { type: 'token_usage_record', payload: { turn_id: 'a', turn_token_usage: { input_tokens: 5 } } },
      event('task_complete', 'a', { last_agent_message: 'x' }),
      event('task_complete', 'b', { last_agent_message: 'y' }),
    ];
    const facts = factsOf(new CodexRollout('t1'), rows.map((row) => JSON.stringify(row)).join('\n'));
    expect(facts).toMatchObject([
      { model: 'm', usage: { input_tokens: 5 } },
      { model: null, usage: null },
    ]);
  });

  it('turns without a name are not taken for each other', () => {
    const rows = [
      { type: 'token_usage_record', payload: { turn_token_usage: { input_tokens: 5 } } },
      { type: 'event_msg', payload: { type: 'task_complete' } },
      { type: 'event_msg', payload: { type: 'task_complete' } },
    ];
    const facts = factsOf(new CodexRollout('t1'), rows.map((row) => JSON.stringify(row)).join('\n'));
    expect(facts).toMatchObject([{ usage: { input_tokens: 5 } }, { usage: null }]);
  });

  it('why a turn was aborted', () => {
    expect(
      linesOf(
        event('turn_aborted', 'a', { reason: 'interrupted' }),
        event('turn_aborted', 'b', { reason: 'budget' }),
        event('turn_aborted', 'c'),
      ),
    ).toEqual([
      '1 turn_ended interrupted: null',
      '2 turn_ended failed: budget null the turn was aborted: budget',
      '3 turn_ended failed: null null the turn was aborted without a reason',
    ]);
  });

  it('why a turn failed', () => {
    const failed = (error: unknown): object =>
      event('task_complete', 'a', { error, last_agent_message: 'half' });
    expect(
      linesOf(failed('words'), failed({ message: 'a\nb', codex_error_info: {} }), failed({}), failed(null)),
    ).toEqual([
      '1 turn_ended failed: null null words',
      '1 turn_ended failed: null null a b',
      '1 turn_ended failed: null null the turn failed without a reason',
      '1 turn_ended completed: half',
    ]);
  });

  it('a prompt in parts is one text', () => {
    expect(linesOf(userMessage('a', 'one ', 'two'), userMessage('a'))).toEqual(['1 prompt_taken: one two']);
  });

  it('threads that are nobody’s are passed over', () => {
    const meta = (thread_source?: unknown): object => ({ type: 'session_meta', payload: { thread_source } });
    expect(linesOf(meta('user'), userMessage('a', 'x'))).toEqual(['1 prompt_taken: x']);
    expect(linesOf(meta(), userMessage('a', 'x'))).toEqual(['1 prompt_taken: x']);
    expect(linesOf(meta('subagent'), userMessage('a', 'x'), event('task_complete', 'a'))).toEqual([]);
  });
});
