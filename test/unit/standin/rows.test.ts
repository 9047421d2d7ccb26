import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type AnyRow, newWorld, rowsOf, STREAM, startStandin, turnRows } from './standin-process.js';

/** Rows the real Claude Code 2.1.330 printed. */
function real(file: string): AnyRow[] {
  return rowsOf(readFileSync(new URL(`../../fixtures/cli/claude/${file}`, import.meta.url), 'utf8'));
}

const keys = (row: AnyRow | undefined) => Object.keys(row ?? {}).sort();

function expectSameFields(ours: AnyRow | undefined, theirs: AnyRow | undefined): void {
  expect(keys(theirs).length).toBeGreaterThan(4);
  expect(keys(ours)).toEqual(keys(theirs));
}

describe('rows have the fields of the real ones', () => {
  it('a plain turn', async () => {
    const { rows } = await turnRows({ world: newWorld(), prompt: 'hello' });
    const theirs = real('01-first.stdout');
    rows.forEach((row, index) => {
      expectSameFields(row, theirs[index]);
    });
    expect(rows).toHaveLength(theirs.length);
    expect(keys(rows[1]?.message)).toEqual(keys(theirs[1]?.message));
    expect(keys(rows[2]?.usage)).toEqual(keys(theirs[2]?.usage));
    const models = (row: AnyRow | undefined) => keys(Object.values(row?.modelUsage)[0] as AnyRow);
    expect(models(rows[2])).toEqual(models(theirs[2]));
  });

  it('a tool', async () => {
    const { rows, result } = await turnRows({
      world: newWorld(),
      prompt: 'go [[tool=Bash {"command":"ls"}]] on [[tool=Read]]',
    });
    const theirs = real('13-tool-bash-allowed.stdout');
    expect(rows.map((row) => row.type)).toEqual([
      'system',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'result',
    ]);
    expectSameFields(rows[1], theirs[1]);
    expectSameFields(rows[2], theirs[2]);
    const call = rows[1]?.message.content[0];
    expect(call).toMatchObject({ type: 'tool_use', name: 'Bash', input: { command: 'ls' } });
    expect(rows[2]?.message.content).toMatchObject([
      { type: 'tool_result', tool_use_id: call.id, is_error: false },
    ]);
    expect(result).toMatchObject({ num_turns: 3, result: 'You said: go on (turn 1 of this conversation)' });
  });

  it.each([
    [401, /^Failed to authenticate\. API Error: 401/],
    [429, /^API Error: 429/],
    [500, /^API Error: 500/],
    [529, /^API Error: Repeated 529/],
  ])('API error %i', async (status, text) => {
    const { rows, result, done } = await turnRows({ world: newWorld(), prompt: `x [[fail=${status}]]` });
    const theirs = real('15-err401-maxretries1.stdout');
    expect(done.code).toBe(1);
    expect(rows.map((row) => row.subtype ?? row.type)).toEqual([
      'init',
      'api_retry',
      'api_retry',
      'assistant',
      'success',
    ]);
    expectSameFields(rows[1], theirs[1]);
    expectSameFields(rows[3], theirs[2]);
    expectSameFields(result, theirs[3]);
    expect(rows[1]).toMatchObject({ attempt: 1, error_status: status });
    expect(result).toMatchObject({
      is_error: true,
      api_error_status: status,
      result: expect.stringMatching(text),
    });
    expect(rows[3]?.message.content[0].text).toBe(result.result);
  });

  it('an interrupt', async () => {
    const running = startStandin({ world: newWorld(), prompt: '[[slow=20000]] x' });
    await running.printed('"init"');
    running.child.kill('SIGINT');
    const done = await running.finished;
    const rows = rowsOf(done.stdout.toString());
    const theirs = real('20-sigINT.stdout');
    expect(done.code).toBe(0);
    expect(rows).toHaveLength(3);
    rows.forEach((row, index) => {
      expectSameFields(row, theirs[index]);
    });
    expect(rows[1]?.message).toEqual(theirs[1]?.message);
    expect(rows[2]).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_streaming',
    });
  });

  it('an unknown conversation', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    const { rows } = await turnRows({ world: newWorld(), args: [...STREAM, '-r', id], prompt: 'x' });
    const [theirs] = real('04-resume-unknown.stdout');
    expectSameFields(rows[0], theirs);
    expect(rows[0]?.errors).toEqual(theirs?.errors);
  });

  it('partial messages', async () => {
    const args = [...STREAM, '--include-partial-messages'];
    const { rows, result } = await turnRows({ world: newWorld(), args, prompt: 'a b' });
    const theirs = real('06-partial.stdout');
    const delta = (row: AnyRow) => row.event?.type === 'content_block_delta';
    expectSameFields(rows.find(delta), theirs.find(delta));
    expect(keys(rows.find(delta)?.event)).toEqual(keys(theirs.find(delta)?.event));
    const pieces = rows.filter(delta).map((row) => row.event.delta.text);
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join('')).toBe(result.result);
  });
});
