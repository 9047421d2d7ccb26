// Claude Code behind the gateway: what all agents do, and how the gateway copes with failures, odd prompts and its own end.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { completedTurn, testCommonTurns } from './harness/common-turns.js';
import { gatewayStage } from './harness/gateway-stage.js';

const FRESH = { chat_session: { mode: 'new' } } as const;

describe('claude', () => {
  const current = gatewayStage('claude');

  testCommonTurns(current);

  test.each([
    ['claude-opus-4-6', 4, 'max'],
    ['claude-sonnet-4-6', 4, 'high'],
  ])('%s at reasoning level %i thinks %s for one turn', async (name, level, effort) => {
    const { fake, run } = current();
    const text = `think as ${name}`;
    const turn = completedTurn(await run(text, { execution: { model: { name, reasoning: { level } } } }));
    expect(turn.model).toBe(name);
    expect(fake.turns(text)).toMatchObject([{ model: name, reasoning: { output_config: { effort } } }]);
  });

  test('a model that recovers in time is no failure', async () => {
    completedTurn(await current().run('overloaded once [[status=529x1]]', FRESH));
  });

  test.each(['--version', '-x', '--help\n-p'])('the prompt %j is text', async (prompt) => {
    const turn = completedTurn(await current().run(prompt, FRESH));
    expect(turn.answer!.text).toContain(`<<${prompt}>>`);
  });

  test('a prompt of 300 KB arrives whole', async () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index}\n`);
    const prompt = `${lines.join('').slice(0, 299_990)}\nthe end.`;
    completedTurn(await current().run(prompt, FRESH));
    const [asked] = current().fake.turns('line 100\n');
    expect(asked!.textLength).toBe(prompt.length);
  });
});

describe('claude with a tool', () => {
  const current = gatewayStage('claude', { launch: { toolArguments: ['--allowedTools=Bash'] } });

  test('a command in the background ends by itself, and the turn with what claude makes of that', async () => {
    const { run, session, fake } = current();
    const ended = path.join(session.folder, 'ended');
    // Longer than an agent may linger after its result.
    const command = JSON.stringify({ command: `sleep 7; echo 42 > ${ended}`, run_in_background: true });
    const turn = completedTurn(await run(`go on [[tool=Bash ${command}]]`));
    expect(readFileSync(ended, 'utf8')).toBe('42\n');
    // The tool call, what it returned, and its end.
    const asked = fake.turns('');
    expect(asked).toHaveLength(3);
    expect(turn.answer?.text).toMatch(new RegExp(`^FAKEREPLY-${asked[2]?.serial}\\b`));
  });

  test('shows the use of it as events', async () => {
    const { run, canonicalEvents } = current();
    const turn = completedTurn(
      await run('use it [[tool=Bash {"command":"echo tool-$((40+2))","description":"counts"}]]'),
    );
    expect(turn.answer!.text).toContain('<<toolresult tool-42>>');
    const events = canonicalEvents(turn).filter(({ kind }) => kind.startsWith('action_'));
    expect(events).toMatchObject([
      {
        kind: 'action_request',
        data: { action_kind: 'tool_use', name: 'Bash', arguments: { command: 'echo tool-$((40+2))' } },
      },
      {
        kind: 'action_result',
        data: { action_kind: 'tool_use', status: 'success', result_summary: 'tool-42' },
      },
    ]);
    expect(events[1]!.data.action_id).toBe(events[0]!.data.action_id);
  });
});

describe.each([
  ['a process of its own', false],
  ['a tmux pane', true],
])('claude in %s when the gateway is killed', (_where, tmux) => {
  const current = gatewayStage('claude', { launch: { tmux } });

  test('is ended by the next gateway, which fails the request and goes on with the queue', async () => {
    const { fake, queue, final, agentProcesses, killGateway, startGateway } = current();
    const before = completedTurn(await current().run('before the crash'));
    const running = await queue('lost in the crash [[delay=60000]]');
    const waiting = await queue('after the crash');
    await fake.turn('lost in the crash');
    await killGateway();
    expect(agentProcesses()).not.toEqual([]);

    await startGateway();
    expect(await final(running)).toMatchObject({
      state: 'failed',
      error: { code: 'gateway_restarted' },
      turn: { state: 'ended', outcome: 'failed' },
    });
    const after = completedTurn(await final(waiting));
    expect(after.provider_session_id).toBe(before.provider_session_id);
    expect(agentProcesses()).toEqual([]);
    expect(fake.turns('lost in the crash')).toHaveLength(1);
    expect(fake.turns('lost in the crash')[0]).toMatchObject({ aborted: true });
  });
});
