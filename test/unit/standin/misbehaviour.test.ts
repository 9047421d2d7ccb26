import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { markedProcesses } from '../../e2e/recovery/evidence.js';
import { ledgerOf, newWorld, rowsOf, runStandin, STREAM, startStandin, turnRows } from './standin-process.js';

describe('how the stand-in misbehaves', () => {
  it('[[slow]] waits after the init row, [[silent]] before it', async () => {
    const world = newWorld();
    const slow = startStandin({ world, prompt: 'x [[slow=600]]' });
    await slow.printed('"init"');
    const { exitMs, code } = await slow.finished;
    expect(exitMs).toBeGreaterThanOrEqual(600);
    expect(code).toBe(0);

    const silent = await runStandin({ world, prompt: 'x [[slow=1500]] [[silent]]' });
    expect(silent.firstMs).toBeGreaterThanOrEqual(1500);
  });

  it('[[words]] and [[drip]] print the answer bit by bit', async () => {
    const { rows, result, done } = await turnRows({ world: newWorld(), prompt: 'x [[words=5]] [[drip=30]]' });
    expect(result.result).toMatch(/ word1 word2 word3 word4 word5$/);
    const pieces = rows.filter((row) => row.event?.type === 'content_block_delta');
    expect(pieces.map((row) => row.event.delta.text).join('')).toBe(result.result);
    expect(done.exitMs).toBeGreaterThan(pieces.length * 30);
  });

  it('[[exit=N]] exits with N and no result', async () => {
    const { rows, done } = await turnRows({ world: newWorld(), prompt: 'x [[exit=7]]' });
    expect(rows.map((row) => row.type)).toEqual(['system']);
    expect(done).toMatchObject({ code: 7, stderr: expect.stringContaining('code 7') });
  });

  it('[[crash]] dies by SIGKILL and closes no ledger entry', async () => {
    const world = newWorld();
    expect(await runStandin({ world, prompt: 'x [[crash]]' })).toMatchObject({
      code: null,
      signal: 'SIGKILL',
    });
    expect(ledgerOf(world).map((line) => line.done ?? false)).toEqual([false]);
  });

  it('[[no-result]] exits 0 without a result row', async () => {
    const { rows, done } = await turnRows({ world: newWorld(), prompt: 'x [[no-result]]' });
    expect(rows.map((row) => row.type)).toEqual(['system', 'assistant']);
    expect(done.code).toBe(0);
  });

  it('[[no-exit]] stays after its result, until TERM', async () => {
    const running = startStandin({ world: newWorld(), prompt: 'x [[no-exit]]' });
    await running.printed('"type":"result"');
    // Another one has all the time that it needs for a whole turn.
    await runStandin({ world: newWorld(), prompt: 'meanwhile' });
    expect(running.child.exitCode).toBeNull();
    running.child.kill('SIGTERM');
    expect((await running.finished).code).toBe(143);
  });

  it('SIGTERM ends a turn with 143 and no more rows', async () => {
    const world = newWorld();
    const running = startStandin({ world, prompt: 'x [[slow=20000]]' });
    await running.printed('"init"');
    running.child.kill('SIGTERM');
    const done = await running.finished;
    expect(done).toMatchObject({ code: 143, stderr: '' });
    expect(rowsOf(done.stdout.toString())).toHaveLength(1);
    expect(ledgerOf(world).at(-1)).toMatchObject({ done: true, outcome: 'terminated', exit_code: 143 });
  });

  it('[[ignore-signals]] survives INT and TERM and answers', async () => {
    const running = startStandin({ world: newWorld(), prompt: 'x [[slow=700]] [[ignore-signals]]' });
    await running.printed('"init"');
    running.child.kill('SIGINT');
    running.child.kill('SIGTERM');
    const done = await running.finished;
    expect(done.code).toBe(0);
    expect(rowsOf(done.stdout.toString()).at(-1)).toMatchObject({ type: 'result', is_error: false });
  });

  it('[[huge]] prints many rows, [[hugerow]] one', async () => {
    const world = newWorld();
    const many = await turnRows({ world, prompt: 'x [[huge=2]]' });
    expect(many.rows.filter((row) => row.type === 'stream_event')).toHaveLength(32);
    const one = await turnRows({ world, prompt: 'x [[hugerow=3]]' });
    const row = one.rows.find((candidate) => candidate.type === 'user');
    expect(row?.message.content[0].content).toHaveLength(3 * 1024 * 1024);
    expect(one.result.is_error).toBe(false);
  });

  it('[[stderr]] writes that much', async () => {
    const done = await runStandin({ world: newWorld(), prompt: 'x [[stderr=300]]' });
    expect(done.stderr).toHaveLength(300 * 1024);
    expect(done.code).toBe(0);
  });

  it('[[garbage]] prints bytes and lines that are no rows, and answers all the same', async () => {
    const { stdout, code } = await runStandin({ world: newWorld(), prompt: 'x [[garbage]]' });
    expect(stdout.includes(Buffer.from([0xff, 0xfe]))).toBe(true);
    const lines = stdout.toString('utf8').trim().split('\n');
    const unreadable = lines.filter((line) => {
      try {
        return typeof JSON.parse(line) !== 'object';
      } catch {
        return true;
      }
    });
    expect(unreadable.length).toBeGreaterThanOrEqual(4);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'result', is_error: false });
    expect(code).toBe(0);
  });

  it('[[grandchild]] keeps the output open after the end', async () => {
    const world = newWorld();
    const env = { HOUMAO_TURN_ID: world.home };
    const running = startStandin({ world, prompt: 'x [[grandchild=600000]]', env });
    let isClosed = false;
    void running.finished.then(() => {
      isClosed = true;
    });
    await once(running.child, 'exit');
    // An output that nobody holds open is closed long before another one has run a whole turn.
    await runStandin({ world: newWorld(), prompt: 'meanwhile' });
    const left = markedProcesses([world.home]);
    expect([left.length, isClosed]).toEqual([1, false]);
    process.kill(left[0]!, 'SIGKILL');
    expect((await running.finished).code).toBe(0);
  });

  it('leaves brackets alone that are no directive', async () => {
    const prompt = 'see [[wiki]] [[slow=soon]] [[tool=X {broken}]] [[crash=1]]';
    const { result } = await turnRows({ world: newWorld(), args: STREAM, prompt });
    expect(result.result).toBe(`You said: ${prompt} (turn 1 of this conversation)`);
  });
});
