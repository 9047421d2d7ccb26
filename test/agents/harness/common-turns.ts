import { expect, test } from 'vitest';
import type { AgentTool } from './agent-paths.js';
import type { GatewayStage, RequestRecord, TurnRecord } from './gateway-stage.js';

/** The evidence that the agent has taken a prompt. */
const EVIDENCE: Readonly<Record<AgentTool, RegExp>> = {
  claude: /^system\/init row of session [0-9a-f-]{36}$/,
  codex: /^turn\.started row$/,
  gemini: /^init row of session [0-9a-f-]{36}$/,
};

/** The turn of a request that came to a good end. */
export function completedTurn(record: RequestRecord): TurnRecord {
  expect(record.error).toBeNull();
  expect(record).toMatchObject({ state: 'completed', turn: { state: 'ended', outcome: 'completed' } });
  return record.turn!;
}

/** Tests that hold for each of the CLIs, and wherever its turns run. */
export function testCommonTurns(current: () => GatewayStage): void {
  test('a queued prompt is delivered, with evidence, and answered', async () => {
    const { tool, fake, run } = current();
    const turn = completedTurn(await run('hello\nof two lines', { chat_session: { mode: 'new' } }));
    expect(turn.delivery).toMatchObject({
      state: 'confirmed',
      evidence: expect.stringMatching(EVIDENCE[tool]),
    });
    const [asked, ...more] = fake.turns('hello');
    expect(more).toEqual([]);
    expect(turn.answer).toEqual({
      text: `FAKEREPLY-${asked!.serial} <<hello\nof two lines>>`,
      truncated: false,
    });
    expect(turn).toMatchObject({ tool, origin: 'queue', exit_code: 0, signal: null });
    expect(turn.usage).toMatchObject({
      // Codex names no model in what it prints, and counts over the whole conversation.
      model: tool === 'codex' ? null : expect.stringMatching(/./),
      scope: tool === 'codex' ? 'conversation' : 'turn',
      amounts: { output_tokens: expect.any(Number) },
    });
  });

  test('the next prompt continues the conversation', async () => {
    const { fake, run } = current();
    const first = completedTurn(await run('remember the word marmalade', { chat_session: { mode: 'new' } }));
    const second = completedTurn(await run('which word was it'));
    expect(first.provider_session_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(second.provider_session_id).toBe(first.provider_session_id);
    const [asked] = fake.turns('which word was it');
    expect(asked!.userTexts).toContain('remember the word marmalade');
    expect(second.answer!.text).toContain('<<which word was it>>');
  });

  test.each([
    [401, 'credentials'],
    [429, 'rate'],
    [529, 'overloaded'],
  ])('a model that answers %i fails the request in words, and the next one runs', async (status, meaning) => {
    const { fake, run, agentProcesses } = current();
    const record = await run(`refused [[status=${status}]]`, { chat_session: { mode: 'new' } });
    expect(fake.turns(`[[status=${status}]]`).length).toBeGreaterThan(0);
    expect(record).toMatchObject({
      state: 'failed',
      error: { code: 'api_error', detail: expect.stringMatching(`API error ${status}: .*${meaning}`) },
      turn: { outcome: 'failed', delivery: { state: 'confirmed' }, error: record.error, answer: null },
    });
    expect(agentProcesses()).toEqual([]);
    completedTurn(await run('is it over', { chat_session: { mode: 'new' } }));
  });

  test('an interrupt ends the turn and leaves no process', async () => {
    const { fake, post, queue, final, agentProcesses } = current();
    const requestId = await queue('think for long [[delay=30000]]');
    await fake.turn('think for long');
    expect(agentProcesses()).not.toEqual([]);
    const interrupt = await final((await post('interrupt', {})).body.request_id);
    const record = await final(requestId);
    // Answering to SIGINT, it did not take five seconds.
    expect(interrupt.result).toEqual({
      outcome: 'stopped',
      turn_id: record.turn!.turn_id,
      signal: 'SIGINT',
    });
    expect(record).toMatchObject({ turn: { state: 'ended', outcome: 'interrupted' } });
    expect(agentProcesses()).toEqual([]);
    completedTurn(await current().run('and now something else'));
  });
}
