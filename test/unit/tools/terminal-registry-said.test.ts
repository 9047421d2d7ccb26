// The parts of turns in the session files of the real tools, and in none of their other files.
import { describe, expect, test } from 'vitest';
import { rowOf } from '../../../src/tools/adapter/json-value.js';
import type { ReportedPart } from '../../../src/tools/adapter/reported-part.js';
import { readerOf, sampleText } from './session-sample.js';

/** One line per part, in the order in which a turn's reader gets them. */
function partsIn(file: string): string[] {
  const reader = readerOf(file);
  return sampleText(file)
    .split('\n')
    .flatMap((line, offset) => {
      const row = rowOf(line);
      if (row === null) return [];
      reader.read(row, { file: 'sample', offset });
      return (reader.said?.(row) ?? []).map(lineOf);
    });
}

function lineOf({ kind, data }: ReportedPart): string {
  switch (kind) {
    case 'text':
      return `${data.position} ${data.text.slice(0, 40)}`;
    case 'reasoning':
      return 'reasoning';
    case 'tool_use':
      return `uses ${data.name} ${data.summary.slice(0, 30)}`;
    case 'tool_result':
      return `${{ true: 'failed', false: 'did', null: 'said' }[`${data.is_error}`]} ${data.summary.slice(0, 30)}`;
  }
}

describe('Claude Code', () => {
  test('text, tools and their results; a tool that a person refuses has failed', () => {
    expect(partsIn('claude/transcript-interrupted-and-permission.jsonl')).toEqual([
      'begins FAKEREPLY-31 <<warm>>',
      expect.stringMatching(/^begins FAKEREPLY-32 <<escafter>> w0/),
      'uses Bash (command=touch /work/project/x',
      'did (Bash completed with no output',
      'begins FAKEREPLY-35 <<toolresult (Bash complete',
      'uses Bash (command=touch /work/project/x',
      "failed The user doesn't want to proce",
      'uses Bash (command=touch /work/project/x',
      'did (Bash completed with no output',
      'begins FAKEREPLY-40 <<toolresult (Bash complete',
    ]);
  });

  test('what it prints of an API error is no text of the agent', () => {
    const said = partsIn('claude/transcript-escape-before-and-api-errors.jsonl');
    expect(said).not.toEqual([]);
    expect(said.filter((line) => line.includes('API Error'))).toEqual([]);
  });
});

describe('Codex', () => {
  test('messages, and commands with the result by their exit code', () => {
    const said = partsIn('codex/rollout-permission-shell-compact.jsonl');
    expect(said).toContain('uses exec_command {"cmd":"touch /work/project/cx');
    expect(said).toContain('did exit code 0');
    expect(said.filter((line) => line.startsWith('begins FAKEREPLY-')).length).toBeGreaterThan(1);
    // A result has one row with the exit code, and another one without, which is left out.
    const uses = said.filter((line) => line.startsWith('uses ')).length;
    const results = said.filter((line) => /^(did|failed|said) /.test(line)).length;
    expect(results).toBe(uses);
  });

  test('text that was steered is in the turn that it joined', () => {
    expect(partsIn('codex/rollout-steer-queue-interrupt-errors.jsonl').slice(0, 3)).toEqual([
      'begins FAKEREPLY-236 <<warm>>',
      'begins FAKEREPLY-241 <<steer second>>',
      'begins FAKEREPLY-243 <<first2>>',
    ]);
  });
});

describe('Gemini CLI', () => {
  test('messages and tools; a message that it writes again is not said again', () => {
    const said = partsIn('gemini/chat-permission-and-replay.jsonl');
    expect(said).toContain('uses run_shell_command (command=touch /work/project/g');
    expect(said.filter((line) => line.startsWith('did '))).not.toEqual([]);
    expect(said.filter((line) => line.startsWith('failed [Operation Cancelled]'))).not.toEqual([]);
    const texts = said.filter((line) => line.startsWith('begins '));
    expect(new Set(texts).size).toBe(texts.length);
  });
});

test.each(['claude/history.jsonl', 'codex/history.jsonl', 'claude/hooks.jsonl', 'gemini/hooks.jsonl'])(
  '%s says nothing',
  (file) => {
    expect(partsIn(file)).toEqual([]);
  },
);
