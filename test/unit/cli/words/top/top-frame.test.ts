import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cell, rowsOf, shortened, widthOf } from '../../../../../src/cli/words/top/cells.js';
import { topFrame, topTable } from '../../../../../src/cli/words/top/top-frame.js';
import { atFirst, type TopAgent, type TopState } from '../../../../../src/cli/words/top/top-state.js';
import { agentOf, runningTurn } from './any-agent.js';

const now = new Date('2026-01-01T00:02:05Z');
const frame = (agents: readonly TopAgent[], more: object = {}) =>
  topFrame({
    agents,
    state: atFirst,
    url: 'http://s',
    isSilent: false,
    columns: 100,
    rows: 12,
    now,
    ...more,
  });

test('shows each agent with its state, what it works on, its queue and its age', () => {
  const usage = { model: 'opus', scope: 'turn' as const, amounts: { input_tokens: 12, output_tokens: 3 } };
  const last_turn = {
    turn_id: 'turn-2',
    outcome: 'completed' as const,
    ended_at_utc: '2026-01-01T00:02:00.000000+00:00',
    answer_preview: 'Done.',
    error: null,
    usage,
  };
  const agents = [
    agentOf('ask', { state: 'needs_person', question: 'Do you want to proceed?' }),
    agentOf('work', { state: 'working', running: runningTurn, queue: { waiting: 2, paused: true } }),
    agentOf('rest', { last_turn }),
    agentOf('lost', { state: 'unreachable', detail: 'Its tmux session is gone.', queue: null }),
  ];
  const shown = frame(agents, { columns: 120 });
  expect(shown[0]).toBe('4 agents  1 needs you  http://s');
  expect(shown.slice(1, 6).map((row) => row.trim().split(/ {2,}/))).toEqual([
    ['STATE', 'AGENT', 'WORKS ON', 'QUEUE', 'AGE', 'TOOL', 'USED'],
    ['> needs you', 'ask', 'Do you want to proceed?', '0', '-', 'claude', '-'],
    ['working', 'work', 'Look at each change.', '2, paused', '2 min', 'claude', '-'],
    ['ready', 'rest', 'Done.', '0', '5 s ago', 'claude', '12 input tokens, 3 output tokens, o…'],
    ['unreachable', 'lost', 'Its tmux session is gone.', '-', '-', 'claude', '-'],
  ]);
});

test('a narrow window shows what a person needs first', () => {
  const agents = [agentOf('alpha', { state: 'working', running: runningTurn })];
  const header = (columns: number) => frame(agents, { columns })[1]?.trim().split(/ {2,}/);
  expect(header(200)).toEqual(['STATE', 'AGENT', 'WORKS ON', 'QUEUE', 'AGE', 'TOOL', 'USED']);
  expect(header(55)).toEqual(['STATE', 'AGENT', 'WORKS ON', 'QUEUE', 'AGE']);
  expect(header(42)).toEqual(['STATE', 'AGENT', 'WORKS ON']);
});

test('the details have the question, the prompt, the answer and the queue', () => {
  const agent = agentOf('alpha', { state: 'needs_person', question: 'Proceed?', running: runningTurn });
  const shown = frame([agent], { state: { ...atFirst, view: 'details' }, rows: 24 }).join('\n');
  for (const part of [
    'Asks you\n  Proceed?',
    'Works on\n  turn-000000000001 (queue), for 2 min',
    'Waiting\n  0',
  ])
    expect(shown).toContain(part);
});

test('a table without a window is not marked', () => {
  expect(topTable([agentOf('alpha')], now, 160)[1]).toMatch(/^ready {2}alpha /);
});

test('a server that gives no answer is named', () => {
  expect(frame([agentOf('alpha')], { isSilent: true })[0]).toBe('No answer from http://s; as last seen.');
});

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom('日本語のプロンプト', '🎉 emoji 👩‍👩‍👧', '\u001b[31mred', 'two\nlines'),
);
const anyAgent = fc
  .record({
    agent_name: anyText.map((text) => `HOUMAO-${text}`),
    question: fc.option(anyText),
    detail: fc.option(anyText),
    state: fc.constantFrom('needs_person' as const, 'working' as const, 'fault' as const, 'ready' as const),
    running: fc.option(anyText.map((prompt_preview) => ({ ...runningTurn, prompt_preview }))),
  })
  .map((more) => agentOf('any', more));
const anyState: fc.Arbitrary<TopState> = fc.record({
  view: fc.constantFrom('list', 'details', 'help', 'prompt', 'interrupt', 'answer'),
  chosen: fc.constant(null),
  typed: anyText,
  dialog: fc.option(
    anyText.map((text) => ({
      dialog_id: 'dialog-1',
      kind: 'permission' as const,
      text,
      choices: [{ number: 1, label: text, marked: true }],
    })) as fc.Arbitrary<NonNullable<TopState['dialog']>>,
  ),
  notice: fc.option(anyText),
});

test('a frame is never larger than its window, and has no control character', () => {
  fc.assert(
    fc.property(
      fc.array(anyAgent, { maxLength: 6 }),
      anyState,
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 30 }),
      (agents, state, columns, rows) => {
        const shown = frame(agents, { state, columns, rows });
        expect(shown.length).toBeLessThanOrEqual(rows);
        for (const row of shown) {
          expect(widthOf(row)).toBeLessThanOrEqual(columns);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
          expect(row).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
        }
      },
    ),
  );
});

test('the chosen agent is in the window, however many there are', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 39 }), fc.integer({ min: 4, max: 30 }), (at, rows) => {
      const agents = Array.from({ length: 40 }, (_, index) => agentOf(`agent${index}`));
      const chosen = agents[at]?.tracked_agent_id ?? null;
      const shown = frame(agents, { state: { ...atFirst, chosen }, rows });
      expect(shown.filter((row) => row.startsWith('> '))).toEqual([expect.stringContaining(`agent${at} `)]);
    }),
  );
});

test('a cell has exactly its width, also with wide characters', () => {
  expect(cell('日本語', 5)).toBe('日本…');
  expect(cell('日本', 5)).toBe('日本 ');
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 40 }), (text, columns) => {
      expect(widthOf(cell(text, columns))).toBe(columns);
      expect(widthOf(shortened(text, columns))).toBeLessThanOrEqual(columns);
    }),
  );
});

test('rows lose no word', () => {
  expect(rowsOf('one two three', 8)).toEqual(['one two', 'three']);
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1 }), (words) => {
      const rows = rowsOf(words.join(' '), 9);
      expect(rows.join(' ').split(/ +/)).toEqual(words);
    }),
  );
});
