// Codex CLI in a terminal of its gateway: what all agents do, and what it makes of prompts that begin with a sign of its own.
import { describe, expect, test } from 'vitest';
import { hooked, testHooks } from './harness/terminal-hooks.js';
import { testPeople } from './harness/terminal-people.js';
import { terminalStage } from './harness/terminal-stage.js';
import { testStrandedTexts } from './harness/terminal-stranded.js';
import { answeredTurn, expectAskedOnce, testTerminalTurns } from './harness/terminal-turns.js';

describe('codex in a terminal', () => {
  const current = terminalStage('codex');

  testTerminalTurns(current);
  testPeople(current);
  testStrandedTexts(current);

  test('a command that it does not know is not delivered, and does not stay in the composer', async () => {
    const stage = current();
    expect(await stage.request(await stage.queue('/help'))).toMatchObject({
      state: 'failed',
      error: { code: 'dispatch_failed', detail: expect.stringContaining('Enter was pressed 2 times') },
      turn: { outcome: 'failed', delivery: { state: 'failed' } },
    });
    await stage.ready();
    await answeredTurn(stage, await stage.queue('after the command'));
    expectAskedOnce(stage, 'after the command');
    expect(stage.fake.turns('/help')).toEqual([]);
  });

  test('a command for the shell runs there, and is a turn without an answer', async () => {
    const stage = current();
    const turn = await answeredTurn(stage, await stage.queue('!echo shell-$((40+2))'));
    expect(turn.answer).toBeNull();
    expect(stage.screen()).toContain('shell-42');
    expect(stage.fake.turns('shell-')).toEqual([]);
  });
});

describe('codex in a terminal, with hooks', () => {
  testHooks(terminalStage('codex', hooked));
});
