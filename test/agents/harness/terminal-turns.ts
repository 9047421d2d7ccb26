import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentTool } from './agent-paths.js';
import { digestOf } from './fake-model/server.js';
import type { TerminalStage, TurnRecord } from './terminal-stage.js';

/** The agent's own files, in which a row shows that it has taken a prompt. */
const FILES: Readonly<Record<AgentTool, RegExp>> = {
  claude: /^(?:user )?row at byte \d+ of (?:projects\/.+|history)\.jsonl/,
  codex: /^(?:UserMessage |CommandExecution )?row at byte \d+ of (?:sessions\/.+|history)\.jsonl/,
  gemini: /^(?:user row at byte \d+ of tmp\/.+\.jsonl|message \d+ of tmp\/.+\/logs\.json)/,
};

/** Of a launch with hooks; without them nothing writes there. */
const HOOKS = /^\w+ row at byte \d+ of terminal\/hooks\.jsonl, accepted and not yet in the conversation$/;

/** The turn of a request, once it came to a good end. */
export async function answeredTurn(stage: TerminalStage, requestId: string): Promise<TurnRecord> {
  const turn = await stage.turn(requestId);
  expect(turn).toMatchObject({
    tool: stage.tool,
    state: 'ended',
    outcome: 'completed',
    error: null,
    delivery: { state: 'confirmed', evidence: expect.stringMatching(evidenceOf(stage.tool)) },
  });
  return turn;
}

const evidenceOf = (tool: AgentTool): RegExp => new RegExp(`${FILES[tool].source}|${HOOKS.source}`);

/** The model was asked this prompt exactly once, and not a character of it was another one. */
export function expectAskedOnce({ tool, fake }: TerminalStage, prompt: string): void {
  // Claude Code makes four blanks of a tab.
  const text = (tool === 'claude' ? prompt.replaceAll('\t', '    ') : prompt).trim();
  const asked = fake.turns(text.slice(0, 60));
  expect(asked.map(({ textLength, textDigest }) => ({ textLength, textDigest }))).toEqual([
    { textLength: text.length, textDigest: digestOf(text) },
  ]);
}

/** A prompt of exactly so many bytes. Nothing in it repeats: Gemini CLI stops an answer that does ("Loop detected"). */
export function promptOf(bytes: number): string {
  const end = '\nthe end.';
  let text = `Of ${bytes} bytes.`;
  for (let n = 0; text.length < bytes; n += 1) text += `\nline ${n}: ${digestOf(String(n))}`;
  return text.slice(0, bytes - end.length) + end;
}

/** Tests that hold for each of the CLIs in a terminal. */
export function testTerminalTurns(current: () => TerminalStage): void {
  test('a prompt goes in, is worked on and answered, and the terminal is ready again', async () => {
    const stage = current();
    const prompt = 'hello, take your time [[delay=1500]]';
    const requestId = await stage.queue(prompt);
    await expect.poll(stage.state).toMatchObject({
      turn: { phase: 'active' },
      parsed_surface: { business_state: 'working' },
    });
    expect(await stage.status()).toMatchObject({
      active_execution: 'running',
      terminal_surface_eligibility: 'not_ready',
    });
    const turn = await answeredTurn(stage, requestId);
    const [asked] = stage.fake.turns(prompt);
    expect(turn.answer).toEqual({
      text: `FAKEREPLY-${asked!.serial} <<hello, take your time>>`,
      truncated: false,
    });
    expect(turn.usage).toMatchObject({
      model: expect.stringMatching(/./),
      scope: 'turn',
      amounts: { output_tokens: expect.any(Number) },
    });
    expectAskedOnce(stage, prompt);
    await stage.ready();
    expect(await stage.state()).toMatchObject({ surface: { editing_input: 'no', ready_posture: 'yes' } });
  });

  test.each([
    ['of several lines', 'first line\n  second line, indented\n\n\tfourth line\nlast line'],
    ['with a heading', '# a heading\nand text'],
    ['that names a file', '@no-such-file.txt is not there'],
    ['of 8 KB', promptOf(8 * 1024)],
    ['of 300 KB', promptOf(300 * 1024)],
  ])('a prompt %s arrives as it is', async (_what, prompt) => {
    const stage = current();
    await answeredTurn(stage, await stage.queue(prompt));
    expectAskedOnce(stage, prompt);
  });

  test.each([24, 10, 50])('prompts taller than their composer go in on a screen of %i rows', async (rows) => {
    const stage = current();
    stage.resize(rows);
    // Nothing repeats, as in promptOf.
    const lines = (one: (word: string) => string) =>
      Array.from({ length: 32 }, (_, n) => one(digestOf(`${rows} ${n}`).slice(0, 6))).join('\n');
    const prompts = [
      lines((word) => `line ${word}`),
      lines((word) => `漢字 ${word} 全角`),
      lines((word) => `e\u0301te\u0301 ${word}`),
      lines((word) => `漢字${word}全角 `.repeat(3)).replaceAll('\n', ''),
      lines((word) => `and ${word} folded `).replaceAll('\n', ''),
    ];
    for (const prompt of prompts) {
      await answeredTurn(stage, await stage.queue(prompt));
      expect(stage.fake.turns(prompt.slice(0, 12))).toHaveLength(1);
    }
    stage.resize(50);
  });

  test('a prompt that ends with the beginning of a file name is not completed, but sent as it is', async () => {
    const stage = current();
    writeFileSync(path.join(stage.workingDirectory, 'completed.md'), 'of a file');
    for (const prompt of ['look at @compl', 'first line\nlook at @completed.md']) {
      await answeredTurn(stage, await stage.queue(prompt));
      // Gemini CLI sends the content of the file after it.
      if (stage.tool !== 'gemini') expectAskedOnce(stage, prompt);
    }
  });

  test('two prompts are two turns, in their order', async () => {
    const stage = current();
    const ids = [await stage.queue('the one [[delay=300]]'), await stage.queue('the other')];
    for (const id of ids) await answeredTurn(stage, id);
    const [one, other] = ['the one', 'the other'].map((text) => stage.fake.turns(text));
    expect([one!.length, other!.length]).toEqual([1, 1]);
    expect(other![0]!.serial).toBeGreaterThan(one![0]!.serial);
  });

  describe('an interrupt', () => {
    async function endsTheTurn(stage: TerminalStage, requestId: string): Promise<void> {
      expect(await stage.interrupt()).toMatchObject({ state: 'completed', result: { outcome: 'stopped' } });
      expect(await stage.turn(requestId)).toMatchObject({ state: 'ended', outcome: 'interrupted' });
      // Nothing of the prompt is left in the composer: the next one goes in alone.
      await stage.ready();
      const next = `after ${requestId}`;
      await answeredTurn(stage, await stage.queue(next));
      expectAskedOnce(stage, next);
    }

    test('after the first output ends the turn', async () => {
      const stage = current();
      const prompt = 'talk for long [[drip=200]] [[words=200]]';
      const requestId = await stage.queue(prompt);
      await expect.poll(stage.screen).toContain(' w3 ');
      await endsTheTurn(stage, requestId);
      expect(stage.fake.turns(prompt)).toMatchObject([{ aborted: true }]);
    });

    test('before the first output ends the turn, and the prompt does not stay in the composer', async () => {
      const stage = current();
      const prompt = 'think for long [[delay=30000]]';
      const requestId = await stage.queue(prompt);
      await stage.fake.turn(prompt);
      await endsTheTurn(stage, requestId);
      expect(stage.fake.turns(prompt)).toMatchObject([{ aborted: true }]);
    });

    test('as soon as the prompt is delivered ends the turn as well', async () => {
      const stage = current();
      const requestId = await stage.queue('no sooner said [[delay=30000]]');
      await stage.request(requestId);
      await endsTheTurn(stage, requestId);
    });
  });

  test("a person's draft is left alone: a direct prompt is refused, a queued one waits", async () => {
    const stage = current();
    stage.type('-l', 'half of a thought');
    await expect.poll(stage.state).toMatchObject({ surface: { editing_input: 'yes' } });
    expect(await stage.direct('in between')).toMatchObject({
      status: 409,
      body: { detail: { sent: false, error_code: 'not_ready' } },
    });
    const requestId = await stage.queue('in its turn');
    await expect
      .poll(() => stage.request(requestId, 0))
      .toMatchObject({
        state: 'accepted',
        waiting_reason: { detail: expect.stringContaining("surface.editing_input='yes'") },
      });
    expect(stage.screen()).toContain('half of a thought');
    stage.type(...Array.from('half of a thought', () => 'BSpace'));
    await answeredTurn(stage, requestId);
    expectAskedOnce(stage, 'in its turn');
    expect(stage.fake.turns('in between')).toEqual([]);
  });

  test('a draft that a person types while the agent works keeps the next prompt back', async () => {
    const stage = current();
    const working = await stage.queue('work on [[delay=1500]]');
    await stage.fake.turn('work on');
    const waiting = await stage.queue('then this one');
    stage.type('-l', 'meanwhile');
    await answeredTurn(stage, working);
    await expect
      .poll(() => stage.request(waiting, 0))
      .toMatchObject({ waiting_reason: { detail: expect.stringContaining("surface.editing_input='yes'") } });
    expect(stage.screen()).toContain('meanwhile');
    stage.type(...Array.from('meanwhile', () => 'BSpace'));
    await answeredTurn(stage, waiting);
    expectAskedOnce(stage, 'then this one');
  });

  test('a direct prompt may begin a fresh conversation', async () => {
    const stage = current();
    await answeredTurn(stage, await stage.queue('remember the word marmalade'));
    await stage.ready();
    const prompt = 'which word was it';
    expect(await stage.direct(prompt, { chat_session: { mode: 'new' } })).toMatchObject({
      status: 200,
      body: { sent: true },
    });
    await stage.ready();
    expectAskedOnce(stage, prompt);
    expect(stage.fake.turns(prompt)[0]!.userTexts).not.toContain('remember the word marmalade');
    stage.spend();
  });
}
