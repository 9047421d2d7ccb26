// Gemini CLI in a terminal of its gateway: what all agents do, and what it makes of prompts that begin with a sign of its own.
import { describe, expect, test } from 'vitest';
import { hooked, testHooks } from './harness/terminal-hooks.js';
import { testPeople } from './harness/terminal-people.js';
import { terminalStage } from './harness/terminal-stage.js';
import { testStrandedTexts } from './harness/terminal-stranded.js';
import { answeredTurn, expectAskedOnce, testTerminalTurns } from './harness/terminal-turns.js';

describe('gemini in a terminal', () => {
  const current = terminalStage('gemini');

  testTerminalTurns(current);
  testPeople(current);
  testStrandedTexts(current);

  test.each([
    ['/help', 'For a full list of shortcuts'],
    ['/chat list', 'No saved conversation'],
    ['/memory show', 'Memory is'],
  ])(
    'the command %s is delivered as that command, and is a turn without an answer',
    async (command, shown) => {
      const stage = current();
      const turn = await answeredTurn(stage, await stage.queue(command));
      expect(turn.answer).toBeNull();
      expect(stage.screen()).toContain(shown);
      expect(stage.fake.turns(command)).toEqual([]);
    },
  );

  test('what would be a command for the shell is text when it is pasted', async () => {
    const stage = current();
    await answeredTurn(stage, await stage.queue('!echo shell-$((40+2))'));
    expectAskedOnce(stage, '!echo shell-$((40+2))');
  });

  test('a long prompt of short lines, which keeps it from drawing for long, is one turn with its answer', async () => {
    const stage = current();
    const prompt = Array.from({ length: 12_000 }, (_, n) => `line ${n}`).join('\n');
    const turn = await answeredTurn(stage, await stage.queue(prompt));
    expect(turn.answer!.text).toContain('line 11999');
    expectAskedOnce(stage, prompt);
  });
});

describe('gemini in a terminal, with a role', () => {
  const current = terminalStage('gemini', ['--role', 'Speak like a pirate.']);

  test('takes it in front of the first prompt, and of the first after a fresh start, and in no other', async () => {
    const stage = current();
    const roleReported = () => stage.fake.turns('Speak like a pirate.').length;
    await answeredTurn(stage, await stage.queue('first words'));
    expect([stage.fake.turns('first words').length, roleReported()]).toEqual([1, 1]);
    await answeredTurn(stage, await stage.queue('second words'));
    expectAskedOnce(stage, 'second words');
    await stage.ready();
    const sent = await stage.direct('third words', { chat_session: { mode: 'new' } });
    expect(sent.status).toBe(200);
    await stage.ready();
    expect([stage.fake.turns('third words').length, roleReported()]).toEqual([1, 2]);
  });
});

describe('gemini in a terminal, with hooks', () => {
  testHooks(terminalStage('gemini', hooked));
});
