import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { AgentTool } from './agent-paths.js';
import { HABITS } from './terminal-people.js';
import type { TerminalStage } from './terminal-stage.js';
import { answeredTurn, expectAskedOnce, promptOf } from './terminal-turns.js';

/** The flag of a launch with hooks. */
export const hooked = ['--hooks'] as const;

const PROMPT_HOOK: Readonly<Record<AgentTool, string>> = {
  claude: 'UserPromptSubmit',
  codex: 'UserPromptSubmit',
  gemini: 'BeforeAgent',
};
const PERMISSION_HOOK: Readonly<Record<AgentTool, string>> = {
  claude: 'PermissionRequest',
  codex: 'PermissionRequest',
  gemini: 'Notification',
};

const fileOf = (stage: TerminalStage) => path.join(stage.root, 'terminal', 'hooks.jsonl');

function rowsOf(stage: TerminalStage, event: string): { prompt?: string; session_id: string }[] {
  const lines = readFileSync(fileOf(stage), 'utf8').split('\n');
  const rows = lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return rows.filter((row) => row.hook_event_name === event);
}

/** Tests that hold for each of the CLIs when it is launched with hooks. That it starts without a dialog is held by the stage. */
export function testHooks(current: () => TerminalStage): void {
  test('a prompt is delivered and answered once, and is a row of the conversation', async () => {
    const stage = current();
    const prompts = ['hello to the hooks', promptOf(300 * 1024)];
    for (const prompt of prompts) {
      const turn = await answeredTurn(stage, await stage.queue(prompt));
      expectAskedOnce(stage, prompt);
      await stage.ready();
      await expect
        .poll(() => rowsOf(stage, PROMPT_HOOK[stage.tool]).at(-1)?.session_id)
        .toBe(turn.provider_session_id);
    }
    const rows = rowsOf(stage, PROMPT_HOOK[stage.tool]);
    expect(rows.map((row) => prompts.findIndex((prompt) => row.prompt?.includes(prompt)))).toEqual([0, 1]);
    expect(statSync(fileOf(stage)).mode & 0o777).toBe(0o600);
    expect(stage.screen()).not.toMatch(/review|failed|blocked/i);
  });

  test('a permission is a row, waits for a person, and can be denied', async () => {
    const stage = current();
    const requestId = await stage.queue(`use a tool ${HABITS[stage.tool].makeFile('never-made')}`);
    await expect.poll(() => rowsOf(stage, PERMISSION_HOOK[stage.tool]).length, { interval: 10 }).toBe(1);
    // The dialogs of these two are drawn half a second later.
    if (stage.tool !== 'gemini') expect(stage.screen()).not.toMatch(/Do you want|Would you like/);
    await expect.poll(stage.state).toMatchObject({ parsed_surface: { business_state: 'awaiting_operator' } });
    expect(await stage.interrupt()).toMatchObject({ state: 'completed', result: { outcome: 'stopped' } });
    expect(await stage.turn(requestId)).toMatchObject({ outcome: 'interrupted' });
    // No hook tells of the end: nothing waits for one.
    await stage.ready();
    expect(await stage.turn(await stage.queue('after the permission'))).toMatchObject({
      outcome: 'completed',
    });
    expectAskedOnce(stage, 'after the permission');
  });
}
