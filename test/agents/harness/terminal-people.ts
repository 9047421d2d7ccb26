import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { AgentTool } from './agent-paths.js';
import type { TerminalStage } from './terminal-stage.js';
import { answeredTurn, expectAskedOnce } from './terminal-turns.js';

/** The differences between the CLIs, where a person has to do with them. */
interface Habits {
  /** Has the model use a tool that the CLI asks permission for, by making a file of that name. */
  makeFile(name: string): string;
  /** A command that opens a dialog, which Escape closes. */
  readonly dialogCommand: string;
  readonly exitCommand: string;
}

export const HABITS: Readonly<Record<AgentTool, Habits>> = {
  claude: {
    makeFile: (name) => `[[tool=Bash {"command":"touch ${name}","description":"makes a file"}]]`,
    dialogCommand: '/help',
    exitCommand: '/exit',
  },
  codex: {
    makeFile: (name) =>
      `[[tool=exec_command {"cmd":"touch ${name}","sandbox_permissions":"require_escalated","justification":"makes a file"}]]`,
    dialogCommand: '/model',
    exitCommand: '/quit',
  },
  gemini: {
    makeFile: (name) => `[[tool=run_shell_command {"command":"touch ${name}","description":"makes a file"}]]`,
    dialogCommand: '/theme',
    exitCommand: '/quit',
  },
};

export const shows = (stage: TerminalStage, wanted: object) => expect.poll(stage.state).toMatchObject(wanted);
/** A person answers what has stood for a moment: a key that comes while a dialog is being drawn is lost on some CLIs. */
export const asksSomething = {
  parsed_surface: { business_state: 'awaiting_operator' },
  stability: { stable: true },
  surface: { ready_posture: 'no' },
};

/** Types a command as a person does, which some menus take one key at a time. */
async function typeCommand(stage: TerminalStage, command: string): Promise<void> {
  stage.type('-l', command);
  await expect.poll(stage.screen).toMatch(new RegExp(`^.{1,3}${command}`, 'm'));
  stage.type('Enter');
}

/** A command that shows a box at once, and what stands in that. */
/** Only Claude Code shows it in a dialog. Elsewhere Escape twice means something else, such as going back in the conversation. */
const STATUS: Readonly<Record<AgentTool, { command: string; shows: string; dialog?: true }>> = {
  claude: { command: '/status', shows: 'Session ID', dialog: true },
  codex: { command: '/status', shows: 'Directory:' },
  gemini: { command: '/about', shows: 'About Gemini CLI' },
};

/** The tests where a person answers, opens dialogs, leaves the CLI and starts it again, or the model fails. */
export function testPeople(current: () => TerminalStage): void {
  test('a command with its Enter in one sequence of keys is entered, and text after Escape is typed', async () => {
    const stage = current();
    const { command, shows: shown, dialog } = STATUS[stage.tool];
    for (let round = 0; round < 3; round += 1) {
      expect(await stage.keys(`${command}<[Enter]>`)).toMatchObject({ status: 200 });
      await expect.poll(stage.screen).toContain(shown);
      if (dialog) await stage.keys('<[Escape]>');
      await stage.ready();
      expect(await stage.keys('<[Escape]>bfd words')).toMatchObject({ status: 200 });
      await expect.poll(stage.screen).toMatch(/^.{1,4}bfd words/m);
      await stage.keys('<[C-u]><[BSpace]>');
      await stage.ready();
    }
    stage.spend();
  });

  test('a permission is asked of a person: no key of ours answers it, and what comes meanwhile waits', async () => {
    const stage = current();
    const file = path.join(stage.workingDirectory, 'made-with-permission');
    const prompt = `use a tool ${HABITS[stage.tool].makeFile(path.basename(file))}`;
    const requestId = await stage.queue(prompt);
    await shows(stage, asksSomething);
    const { parsed_surface: asked } = await stage.state();
    expect(asked.operator_blocked_excerpt).toContain('touch made-with-permission');
    await expect
      .poll(stage.status)
      .toMatchObject({ terminal_surface_eligibility: 'not_ready', active_execution: 'running' });
    expect(await stage.direct('in between')).toMatchObject({
      status: 409,
      body: { detail: { sent: false } },
    });
    const waiting = await stage.queue('after the permission');
    const detail = expect.stringContaining("waits for a person (blocked='permission')");
    await expect
      .poll(() => stage.request(waiting, 0))
      .toMatchObject({ waiting_reason: { code: 'busy', detail } });
    expect((await stage.state()).parsed_surface.operator_blocked_excerpt).toBe(
      asked.operator_blocked_excerpt,
    );
    expect(existsSync(file)).toBe(false);

    const { dialog } = (await stage.ask('GET', '/v1/control/tui/dialog')).body;
    expect(dialog).toMatchObject({ kind: 'permission', text: asked.operator_blocked_excerpt });
    expect(
      await stage.ask('POST', '/v1/control/tui/dialog', { dialog_id: 'dialog-of-another', choose: 1 }),
    ).toMatchObject({ status: 409 });
    expect(existsSync(file)).toBe(false);
    const { number } = dialog.choices[0];
    expect(
      await stage.ask('POST', '/v1/control/tui/dialog', { dialog_id: dialog.dialog_id, choose: number }),
    ).toMatchObject({ status: 200, body: { outcome: 'answered' } });
    const turn = await answeredTurn(stage, requestId);
    expect(turn.answer!.text).toMatch(/^FAKEREPLY-\d+ <<toolresult/);
    expect(existsSync(file)).toBe(true);
    await answeredTurn(stage, waiting);
    expectAskedOnce(stage, 'after the permission');
    expect(stage.fake.turns('in between')).toEqual([]);
  });

  test('the last choice of a permission is reached by its number, and nothing is made', async () => {
    const stage = current();
    const file = path.join(stage.workingDirectory, 'not-made');
    await stage.queue(`use a tool ${HABITS[stage.tool].makeFile(path.basename(file))}`);
    await shows(stage, asksSomething);
    const { dialog } = (await stage.ask('GET', '/v1/control/tui/dialog')).body;
    const { number } = dialog.choices.at(-1);
    const answered = await stage.ask('POST', '/v1/control/tui/dialog', {
      dialog_id: dialog.dialog_id,
      choose: number,
    });
    expect(answered).toMatchObject({ status: 200, body: { outcome: 'answered' } });
    await stage.interrupt();
    await stage.ready();
    expect(existsSync(file)).toBe(false);
  });

  test('an interrupt while a permission is asked denies it', async () => {
    const stage = current();
    const file = path.join(stage.workingDirectory, 'never-made');
    const requestId = await stage.queue(`use a tool ${HABITS[stage.tool].makeFile(path.basename(file))}`);
    await shows(stage, asksSomething);
    expect(await stage.interrupt()).toMatchObject({ state: 'completed', result: { outcome: 'stopped' } });
    expect(await stage.turn(requestId)).toMatchObject({ outcome: 'interrupted' });
    await stage.ready();
    expect(existsSync(file)).toBe(false);
  });

  test('a dialog that a person opened keeps every prompt back, and is left as it is', async () => {
    const stage = current();
    await typeCommand(stage, HABITS[stage.tool].dialogCommand);
    await shows(stage, asksSomething);
    const before = stage.screen();
    const detail = expect.stringMatching(/blocked='\w+'/);
    await expect
      .poll(() => stage.direct('into the dialog'))
      .toMatchObject({ status: 409, body: { detail: { sent: false, detail } } });
    const forced = await stage.direct('into the dialog', { force: true });
    expect(forced.body).toMatchObject({ detail: { sent: false } });
    const waiting = await stage.queue('after the dialog');
    await expect.poll(() => stage.request(waiting, 0)).toMatchObject({ waiting_reason: { detail } });
    expect(stage.screen()).toBe(before);
    stage.type('Escape');
    await answeredTurn(stage, waiting);
    expectAskedOnce(stage, 'after the dialog');
    expect(stage.fake.turns('into the dialog')).toEqual([]);
  });

  test('a model that refuses fails the turn, in the words of the agent, and the next one runs', async () => {
    const stage = current();
    const turn = await stage.turn(await stage.queue('refused [[status=401]]'));
    expect(turn).toMatchObject({
      outcome: 'failed',
      answer: null,
      error: { detail: expect.stringContaining('401') },
    });
    expect(stage.fake.turns('refused').length).toBeGreaterThan(0);
    await answeredTurn(stage, await stage.queue('is it over'));
  });

  test('after the machine went down it goes on with its conversation, and with what was queued', async () => {
    const stage = current();
    await answeredTurn(stage, await stage.queue('before the machine went down'));
    await stage.ask('PUT', '/v1/control/queue', { paused: true });
    const waiting = await stage.queue('after the machine came up');
    await stage.crash();
    const back = await stage.restart();
    expect(back).toMatchObject({ tmux_session: 'made', tool: 'started', gateway: 'started' });
    expect(back.conversation).toEqual(expect.any(String));
    await stage.ask('PUT', '/v1/control/queue', { paused: false });
    await answeredTurn(stage, waiting);
    const [asked] = stage.fake.turns('after the machine came up');
    expect(asked!.userTexts).toContainEqual(expect.stringContaining('before the machine went down'));
  });

  test('an agent that was left takes no prompt, and nothing is typed into the shell; started again, it goes on', async () => {
    const stage = current();
    await typeCommand(stage, HABITS[stage.tool].exitCommand);
    await shows(stage, { diagnostics: { availability: 'tui_down' }, parsed_surface: null });
    expect(await stage.direct('echo typed-into-the-shell')).toMatchObject({
      body: { detail: { sent: false } },
    });
    const requestId = await stage.queue('echo queued-for-later');
    const waits = { state: 'accepted', waiting_reason: { detail: expect.stringContaining('tui_down') } };
    await expect.poll(() => stage.request(requestId, 0)).toMatchObject(waits);
    expect(stage.screen()).not.toMatch(/typed-into|queued-for/);

    stage.type('-l', stage.startCommand);
    stage.type('Enter');
    const turn = await stage.turn(requestId);
    expect(turn).toMatchObject({ outcome: 'completed', error: null });
    expectAskedOnce(stage, 'echo queued-for-later');
    expect(stage.fake.turns('typed-into-the-shell')).toEqual([]);
    stage.spend();
  });
}
