import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ledgerOf, newWorld, runStandin, STREAM, turnRows } from './standin-process.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('a conversation with the stand-in', () => {
  it('goes on under its id, with --resume and with --continue', async () => {
    const world = newWorld();
    const first = await turnRows({ world, prompt: 'one' });
    const id = first.rows[0]?.session_id;
    expect(first.rows.map((row) => row.type)).toEqual(['system', 'assistant', 'result']);
    expect(first.result).toMatchObject({
      subtype: 'success',
      is_error: false,
      session_id: id,
      result: 'You said: one (turn 1 of this conversation)',
    });
    expect(first.done.code).toBe(0);

    const second = await turnRows({ world, args: [...STREAM, '--resume', id], prompt: 'two' });
    expect(second.result.result).toBe('You said: two (turn 2 of this conversation)');
    const third = await turnRows({ world, args: [...STREAM, '--continue'], prompt: 'three' });
    expect(third.result.result).toBe('You said: three (turn 3 of this conversation)');
    expect(new Set([...second.rows, ...third.rows].map((row) => row.session_id))).toEqual(new Set([id]));

    const files = readdirSync(join(world.home, 'standin-sessions'));
    expect(files).toEqual([`${id}.json`]);
    const saved = JSON.parse(readFileSync(join(world.home, 'standin-sessions', `${id}.json`), 'utf8'));
    expect(saved).toMatchObject({
      session_id: id,
      cwd: world.cwd,
      turns: 3,
      prompts: ['one', 'two', 'three'],
    });
  });

  it('counts tokens of the turn in usage and of the conversation in modelUsage', async () => {
    const world = newWorld();
    const first = await turnRows({ world, prompt: 'one' });
    const second = await turnRows({ world, args: [...STREAM, '-c', '--model', 'm'], prompt: 'two' });
    const total = first.result.usage.output_tokens + second.result.usage.output_tokens;
    expect(second.result.modelUsage.m.outputTokens).toBe(total);
    expect(second.result.model_usage_since_last_result.m.outputTokens).toBe(
      second.result.usage.output_tokens,
    );
  });

  it('--continue takes the latest of the same directory, or starts one', async () => {
    const world = newWorld();
    const elsewhere = { ...newWorld(), home: world.home };
    await turnRows({ world, prompt: 'here' });
    const there = await turnRows({ world: elsewhere, args: [...STREAM, '-c'], prompt: 'there' });
    expect(there.result.result).toBe('You said: there (turn 1 of this conversation)');
    const later = await turnRows({ world, prompt: 'newer' });
    const back = await turnRows({ world, args: [...STREAM, '-c'], prompt: 'again' });
    expect(back.result).toMatchObject({ session_id: later.result.session_id });
    expect(back.result.result).toMatch(/turn 2/);
  });

  it.each([UNKNOWN, '../../etc/passwd', 'x y'])(
    '--resume of the unknown id %s fails as the real one',
    async (id) => {
      const world = newWorld();
      const { rows, done } = await turnRows({ world, args: [...STREAM, `--resume=${id}`], prompt: 'x' });
      const message = `No conversation found with session ID: ${id}`;
      expect(rows).toMatchObject([
        {
          type: 'result',
          subtype: 'error_during_execution',
          is_error: true,
          session_id: id,
          errors: [message],
        },
      ]);
      expect(done).toMatchObject({ code: 1, stderr: `${message}\n` });
      expect(readdirSync(world.home)).toEqual([]);
    },
  );

  it('a conversation is not found from another directory', async () => {
    const world = newWorld();
    const { result } = await turnRows({ world, prompt: 'one' });
    const elsewhere = { ...newWorld(), home: world.home };
    const args = [...STREAM, '--resume', result.session_id];
    expect((await runStandin({ world: elsewhere, args, prompt: 'x' })).code).toBe(1);
  });

  it('--session-id names a new conversation, once', async () => {
    const world = newWorld();
    const args = [...STREAM, '--session-id', UNKNOWN];
    expect((await turnRows({ world, args, prompt: 'x' })).result.session_id).toBe(UNKNOWN);
    const again = await runStandin({ world, args, prompt: 'x' });
    expect(again).toMatchObject({ code: 1, stderr: `Error: Session ID ${UNKNOWN} is already in use.\n` });
    const bad = await runStandin({ world, args: [...STREAM, '--session-id', 'x'], prompt: 'x' });
    expect(bad).toMatchObject({ code: 1, stderr: 'Error: Invalid session ID. Must be a valid UUID.\n' });
  });
});

describe('the command line of the stand-in', () => {
  it.each([
    [['-p', '--nope'], /^error: unknown option '--nope'\n$/],
    [['-p', '--model'], /^error: option '--model <value>' argument missing\n$/],
    [['-p', '--effort', 'huge'], /argument 'huge' is invalid/],
    [['-p', '--output-format', 'xml'], /argument 'xml' is invalid/],
    [['-p', '--output-format', 'stream-json'], /requires --verbose/],
    [['-p', '--resume'], /--resume requires a valid session ID/],
    [[], /no interactive mode/],
    [['-p', 'a', 'b'], /too many arguments/],
  ])('refuses %j', async (args, message) => {
    const done = await runStandin({ world: newWorld(), args, prompt: 'x' });
    expect(done.code).toBe(1);
    expect(done.stderr).toMatch(message);
    expect(done.stdout.toString()).toBe('');
  });

  it('refuses a prompt of white space', async () => {
    const done = await runStandin({ world: newWorld(), prompt: ' \n' });
    expect(done.code).toBe(1);
    expect(done.stderr).toMatch(/^Error: Input must be provided/);
  });

  it('prints version and help, and the help names every directive', async () => {
    const world = newWorld();
    const version = await runStandin({ world, args: ['--version'] });
    expect(version).toMatchObject({ code: 0 });
    expect(version.stdout.toString()).toMatch(/^\d+\.\d+\.\d+ .*stand-in/);
    const help = (await runStandin({ world, args: ['--help'] })).stdout.toString();
    const source = readFileSync(new URL('../../../standin/src/directives.ts', import.meta.url), 'utf8');
    const names = [...source.matchAll(/const (?:numberNames|flagNames) = \[([^\]]*)\]/g)].flatMap((list) =>
      [...(list[1] ?? '').matchAll(/'([a-z-]+)'/g)].map((name) => name[1]),
    );
    expect(names.length).toBeGreaterThan(12);
    for (const name of [...names, 'tool']) expect(help).toContain(`[[${name}`);
  });

  it('takes the prompt as an argument and behind --', async () => {
    const world = newWorld();
    const said = async (args: string[]) => (await runStandin({ world, args })).stdout.toString();
    expect(await said(['-p', 'as argument'])).toBe('You said: as argument (turn 1 of this conversation)\n');
    expect(await said(['-p', '--', '--version'])).toBe('You said: --version (turn 1 of this conversation)\n');
  });

  it('text by stdin is never an option', async () => {
    const { result } = await turnRows({ world: newWorld(), prompt: '--version' });
    expect(result.result).toBe('You said: --version (turn 1 of this conversation)');
  });

  it('a prompt of 300 KB arrives whole', async () => {
    const prompt = 'äb '.repeat(100_000).trim();
    const { result } = await turnRows({ world: newWorld(), prompt });
    expect(result.result).toBe(`You said: ${prompt} (turn 1 of this conversation)`);
  });

  it('json prints the result row alone', async () => {
    const done = await runStandin({
      world: newWorld(),
      args: ['-p', '--output-format', 'json'],
      prompt: 'x',
    });
    expect(JSON.parse(done.stdout.toString())).toMatchObject({ type: 'result', is_error: false });
  });
});

describe('the ledger', () => {
  it('has one line at the start and one at the end of a turn', async () => {
    const world = newWorld();
    const args = [...STREAM, '--append-system-prompt', 'Be kind.', '--model', 'm', '--effort', 'low'];
    const { result } = await turnRows({
      world,
      args,
      prompt: 'one [[words=1]]',
      env: { HOUMAO_TURN_ID: 'turn-7' },
    });
    const [start, end, ...rest] = ledgerOf(world);
    expect(rest).toEqual([]);
    expect(start).toMatchObject({
      turn_id: 'turn-7',
      session_id: result.session_id,
      prompt: 'one [[words=1]]',
      role: 'Be kind.',
      model: 'm',
      effort: 'low',
    });
    expect(end).toMatchObject({
      pid: start?.pid,
      turn_id: 'turn-7',
      done: true,
      outcome: 'answered',
      exit_code: 0,
    });
  });

  it('keeps whole lines when many turns write at once', async () => {
    const world = newWorld();
    await Promise.all(
      Array.from({ length: 6 }, (_, n) => runStandin({ world, prompt: `p${n} ${'x'.repeat(9000)}` })),
    );
    const lines = ledgerOf(world);
    expect(lines).toHaveLength(12);
    expect(new Set(lines.map((line) => line.pid)).size).toBe(6);
  });
});
