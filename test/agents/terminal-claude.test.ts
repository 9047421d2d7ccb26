// Claude Code in a terminal of its gateway: what all agents do, and what it makes of prompts that begin with a sign of its own.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { hooked, testHooks } from './harness/terminal-hooks.js';
import { asksSomething, shows, testPeople } from './harness/terminal-people.js';
import { type TerminalStage, terminalStage } from './harness/terminal-stage.js';
import { testStrandedTexts } from './harness/terminal-stranded.js';
import { answeredTurn, testTerminalTurns } from './harness/terminal-turns.js';

/** The rows of its conversations. */
function rowsOf({ workingDirectory }: TerminalStage): string[] {
  const folder = path.dirname(workingDirectory);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('/projects/') && name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'));
}

describe('claude in a terminal', () => {
  const current = terminalStage('claude');

  testTerminalTurns(current);
  testPeople(current);
  testStrandedTexts(current);

  test('a command that opens a dialog is delivered; its turn goes on until a person closes it', async () => {
    const stage = current();
    const requestId = await stage.queue('/help');
    await shows(stage, asksSomething);
    expect(await stage.request(requestId)).toMatchObject({ state: 'completed', turn: { state: 'running' } });
    await stage.keys('<[Escape]>');
    const turn = await answeredTurn(stage, requestId);
    // Closed soon after it was drawn, its dialog leaves no row in the conversation.
    const said = rowsOf(stage).some((row) => row.includes('Help dialog dismissed'));
    expect(turn.answer).toEqual(said ? { text: 'Help dialog dismissed', truncated: false } : null);
    expect(stage.fake.turns('/help')).toEqual([]);
  });

  test('a command that it does not know comes to nothing, and the next prompt goes in', async () => {
    const stage = current();
    await answeredTurn(stage, await stage.queue('/no-such-command at all'));
    await answeredTurn(stage, await stage.queue('after the command'));
    expect(stage.fake.turns('no-such-command')).toEqual([]);
  });

  test('a command for the shell runs there, and the model hears of it', async () => {
    const stage = current();
    const turn = await answeredTurn(stage, await stage.queue('!echo shell-$((40+2))'));
    const [asked, ...more] = stage.fake.turns('<bash-stdout>shell-42');
    expect(more).toEqual([]);
    expect(turn.answer!.text).toMatch(new RegExp(`^FAKEREPLY-${asked!.serial} <<<bash-stdout>shell-42`));
  });

  test('a model that recovers in time is no failure', async () => {
    const stage = current();
    await answeredTurn(stage, await stage.queue('overloaded once [[status=529x1]]'));
    expect(stage.fake.turns('overloaded once').map(({ status }) => status)).toEqual([529, 200]);
  });
});

describe('claude in a terminal, with hooks', () => {
  testHooks(terminalStage('claude', hooked));
});
