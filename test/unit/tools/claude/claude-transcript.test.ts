import { describe, expect, it } from 'vitest';
import { ClaudeTranscript } from '../../../../src/tools/claude/claude-transcript.js';
import { factLines, factsOf, sampleText } from '../session-sample.js';

const linesOf = (...rows: object[]): string[] =>
  factLines(factsOf(new ClaudeTranscript('c1'), rows.map((row) => JSON.stringify(row)).join('\n')));

const prompt = (text: unknown, promptId: string, more: object = {}): object => ({
  type: 'user',
  promptId,
  origin: { kind: 'human' },
  parentUuid: `before-${promptId}`,
  message: { role: 'user', content: text },
  ...more,
});
const answer = (id: string, text: string | null, more: object = {}): object => ({
  type: 'assistant',
  message: {
    id,
    model: 'm',
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 2 },
    content: text === null ? [{ type: 'thinking', thinking: 'hm' }] : [{ type: 'text', text }],
    ...more,
  },
});
const toolUse = {
  type: 'assistant',
  message: { id: 'tool', model: 'm', stop_reason: 'tool_use', content: [{ type: 'tool_use', name: 'Bash' }] },
};
const duration = { type: 'system', subtype: 'turn_duration' };

describe('a transcript of Claude Code', () => {
  it('an end has the answer, the model, and what all messages of the turn used', () => {
    const file = 'claude/transcript-queue.jsonl';
    const facts = factsOf(new ClaudeTranscript('c1'), sampleText(file));
    const ends = facts.filter(
      (fact) => fact.kind === 'turn_ended' && fact.turn === facts[3]?.['turn' as never],
    );
    const [taken] = facts.slice(3);
    expect(taken).toEqual({
      kind: 'prompt_taken',
      text: '[[tool=Bash {"command":"sleep 3; echo done","description":"s"}]]',
      pending: false,
      evidence: expect.stringMatching(/^user row at byte \d+ of sample$/),
      at: '2026-11-22T18:51:20.557Z',
      conversation: 'c1',
      turn: '3c8ee40d-64c6-456b-942b-ea88ce2e824e',
    });
    const end = {
      kind: 'turn_ended',
      outcome: 'completed',
      answer: expect.stringMatching(/^FAKEREPLY-13077 /),
      conversation: 'c1',
      turn: '3c8ee40d-64c6-456b-942b-ea88ce2e824e',
      model: 'claude-opus-5-5',
      usage: {
        input_tokens: 2855 + 2998,
        output_tokens: 85,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
      error: null,
    };
    expect(ends).toEqual([
      {
        ...end,
        settled: false,
        at: '2026-11-22T18:51:23.906Z',
        evidence: expect.stringMatching(/^assistant row/),
      },
      {
        ...end,
        settled: true,
        at: '2026-11-22T18:51:23.915Z',
        evidence: expect.stringMatching(/^turn_duration row/),
      },
    ]);
  });

  it('blocks of one message come in a row each', () => {
    const rows = [prompt('p', 'a'), answer('m1', null), answer('m1', 'one '), answer('m1', 'two'), duration];
    const [, ...ends] = linesOf(...rows);
    expect(ends).toEqual([
      '1 turn_ended completed, not settled: one ',
      '1 turn_ended completed, not settled: one two',
      '1 turn_ended completed: one two',
    ]);
    const facts = factsOf(new ClaudeTranscript('c1'), rows.map((row) => JSON.stringify(row)).join('\n'));
    expect(facts.at(-1)).toMatchObject({ usage: { input_tokens: 10, output_tokens: 2 } });
  });

  it('a turn that a hook sends on has a later end', () => {
    expect(
      linesOf(prompt('p', 'a'), answer('m1', 'done'), toolUse, answer('m2', 'really done'), duration),
    ).toEqual([
      '1 prompt_taken: p',
      '1 turn_ended completed, not settled: done',
      '1 turn_ended completed, not settled: really done',
      '1 turn_ended completed: really done',
    ]);
  });

  it('an end without words, and one whose beginning was not read', () => {
    expect(linesOf(prompt('p', 'a'), answer('m1', null), duration)).toEqual([
      '1 prompt_taken: p',
      '1 turn_ended completed: null',
    ]);
    expect(linesOf(answer('m1', 'x', { stop_reason: 'max_tokens' }), duration, duration)).toEqual([
      '- turn_ended completed: x',
    ]);
  });

  it('Escape before any output is reported by the next prompt, and only then', () => {
    const parent = { parentUuid: 'same' };
    expect(linesOf(prompt('one', 'a', parent), prompt('two', 'b', parent))).toEqual([
      '1 prompt_taken: one',
      '1 turn_ended interrupted: null',
      '2 prompt_taken: two',
    ]);
    expect(
      linesOf(prompt('one', 'a', { parentUuid: null }), prompt('two', 'b', { parentUuid: null })),
    ).toContain('1 turn_ended interrupted: null');
    const words = [{ type: 'text', text: '[Request interrupted by user]' }];
    const ended = linesOf(
      prompt('one', 'a', parent),
      { type: 'user', promptId: 'a', message: { content: words } },
      prompt('two', 'b', parent),
    );
    expect(ended).toEqual(['1 prompt_taken: one', '1 turn_ended interrupted: null', '2 prompt_taken: two']);
    const rewound = linesOf(
      prompt('one', 'a', parent),
      answer('m1', 'x'),
      duration,
      prompt('two', 'b', parent),
    );
    expect(rewound.filter((line) => line.includes('interrupted'))).toEqual([]);
    const steered = linesOf(prompt('one', 'a', parent), toolUse, prompt('two', 'b', parent));
    expect(steered.filter((line) => line.includes('interrupted'))).toEqual([]);
  });

  it('a person may write what looks like an interruption', () => {
    const words = '[Request interrupted by user]';
    expect(linesOf(prompt([{ type: 'text', text: words }], 'a'))).toEqual([`1 prompt_taken: ${words}`]);
    expect(linesOf({ type: 'user', message: { content: [{ type: 'text', text: words }] } })).toEqual([
      '- turn_ended interrupted: null',
    ]);
    expect(linesOf({ type: 'user', message: { content: [{ type: 'text', text: `${words} x` }] } })).toEqual(
      [],
    );
  });

  it('an interrupted turn ends once', () => {
    const interruption = {
      type: 'user',
      message: { content: [{ type: 'text', text: '[Request interrupted by user]' }] },
    };
    expect(linesOf(prompt('p', 'a'), interruption, interruption, duration)).toEqual([
      '1 prompt_taken: p',
      '1 turn_ended interrupted: null',
    ]);
  });

  it('what it starts on its own is a turn, but no prompt', () => {
    const notification = { ...prompt('<task-notification>', 'n'), origin: { kind: 'task-notification' } };
    expect(
      linesOf(prompt('p', 'a'), answer('m1', 'x'), duration, notification, answer('m2', 'y'), duration),
    ).toEqual([
      ...['1 prompt_taken: p', '1 turn_ended completed, not settled: x', '1 turn_ended completed: x'],
      ...['2 turn_ended completed, not settled: y', '2 turn_ended completed: y'],
    ]);
  });

  it('its queue: what is taken back was pending', () => {
    const queue = (operation: string, content?: string): object => ({
      type: 'queue-operation',
      operation,
      content,
    });
    expect(
      linesOf(
        ...[queue('enqueue', 'a'), queue('enqueue', 'b'), queue('dequeue'), queue('enqueue', 'c')],
        ...[queue('enqueue', '<task-notification>x'), queue('remove', 'b'), queue('popAll', 'c')],
        ...[queue('popAll', 'from before'), queue('popAll', '<task-notification>x'), queue('shuffle', 'c')],
      ),
    ).toEqual([
      ...['- prompt_taken, pending: a', '- prompt_taken, pending: b', '- prompt_taken, pending: c'],
      ...['- prompt_dropped: c', '- prompt_dropped: from before'],
    ]);
    expect(linesOf(queue('enqueue', 'a'), queue('enqueue', 'b'), queue('popAll', 'a\nb'))).toEqual([
      ...['- prompt_taken, pending: a', '- prompt_taken, pending: b'],
      ...['- prompt_dropped: a', '- prompt_dropped: b', '- prompt_dropped: a\nb'],
    ]);
  });

  it('a prompt that a hook refused is in the composer again', () => {
    const refused = (content: unknown, kind = 'blocked_by_hook') => ({
      type: 'system',
      subtype: 'informational',
      content,
      promptSubmitEnding: { ending: { kind, reason: 'no' }, promptKept: false },
    });
    const content = 'UserPromptSubmit operation blocked by hook:\n[x]: no\n\n\nOriginal prompt: one\ntwo';
    expect(
      linesOf(refused(content), refused(content, 'other'), refused('no prompt in it'), refused(1)),
    ).toEqual(['- prompt_dropped: one\ntwo']);
  });

  it('only what a person queued joins a turn as a prompt', () => {
    const queued = (kind: string): object => ({
      type: 'attachment',
      attachment: { type: 'queued_command', prompt: 'x', origin: { kind } },
    });
    expect(linesOf(prompt('p', 'a'), queued('human'), queued('task-notification'))).toEqual([
      '1 prompt_taken: p',
      '1 prompt_taken: x',
    ]);
  });

  it('side agents and made-up messages are not the conversation', () => {
    expect(linesOf({ ...prompt('p', 'a'), isSidechain: true })).toEqual([]);
    expect(linesOf(answer('m1', 'No response requested.', { model: '<synthetic>' }))).toEqual([]);
  });
});
