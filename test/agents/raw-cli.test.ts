// The behaviour of each CLI on which the gateway relies, measured on the CLI itself: if a new version changes it, this
// file says so before the gateway's own tests fail in a way that is harder to read.
import { statSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentTool } from './harness/agent-paths.js';
import { type Bench, type CliResult, makeBench } from './harness/cli.js';
import { CLAUDE, DIALECTS, GEMINI } from './harness/dialects.js';
import { type FakeModel, type LoggedRequest, startFakeModel } from './harness/fake-model/server.js';
import { FAKE_KEY, FAKE_MODEL } from './harness/homes.js';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const LOST_SESSION: Readonly<Record<AgentTool, RegExp>> = {
  claude: /No conversation found with session ID/,
  codex: /no rollout found for thread id/,
  gemini: /Invalid session identifier/,
};

interface Stage {
  readonly fake: FakeModel;
  readonly bench: Bench;
}

/** One fake server, one home and one working directory for the tests of a tool. */
function stage(tool: AgentTool): () => Stage {
  let made: Stage | undefined;
  beforeAll(async () => {
    const fake = await startFakeModel();
    made = { fake, bench: await makeBench(tool, fake.url) };
  });
  afterAll(() => made?.fake.close());
  return () => made!;
}

/** The one request of the user's turn with this text. */
function requestOf({ fake }: Stage, text: string): LoggedRequest {
  const [request, ...more] = fake.turns(text);
  expect(more).toEqual([]);
  return request!;
}

/** Sends the signal while the model keeps the turn waiting. */
async function interrupted({ fake, bench }: Stage, signal: NodeJS.Signals): Promise<CliResult> {
  const run = await bench.start(DIALECTS[bench.tool].first, `until ${signal} [[delay=20000]]`);
  await fake.turn(`until ${signal}`);
  run.signal(signal);
  return run.result;
}

describe.each(['claude', 'codex', 'gemini'] as const)('%s', (tool) => {
  const dialect = DIALECTS[tool];
  const current = stage(tool);

  async function turn(args: readonly string[], prompt: string): Promise<CliResult> {
    const result = await current().bench.run(args, prompt);
    expect(result.exitCode, result.stderr).toBe(0);
    const end = dialect.end(result);
    expect(end && dialect.succeeded(end)).toBe(true);
    return result;
  }

  test('answers a prompt given as a file on stdin, and resumes the conversation', async () => {
    const first = await turn(dialect.first, 'first\nof two lines');
    expect(dialect.answer(first)).toContain('<<first\nof two lines>>');
    const id = dialect.sessionId(first);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);

    const second = await turn(dialect.resume(id), 'second');
    expect(dialect.answer(second)).toContain('<<second>>');
    expect(dialect.sessionId(second)).toBe(id);
    const [before, after] = ['first', 'second'].map((text) => requestOf(current(), text));
    expect(after!.conversationLength).toBeGreaterThan(before!.conversationLength);
  });

  test('takes a prompt that looks like an option as text', async () => {
    expect(dialect.answer(await turn(dialect.first, '--version'))).toContain('<<--version>>');
  });

  test('takes a prompt of 300 KB whole', async () => {
    // No two lines are the same: gemini ends a turn whose answer repeats itself ("Loop detected").
    const lines = Array.from({ length: 24_000 }, (_, index) => `line ${index}`);
    const prompt = `${lines.join('\n')}\n${'='.repeat(300_000)}`.slice(0, 300_000);
    await turn(dialect.first, prompt);
    expect(requestOf(current(), 'line 100\n').textLength).toBe(prompt.length);
  });

  test('says so when the model refuses', async () => {
    const result = await current().bench.run(dialect.first, 'refused [[status=401]]');
    const end = dialect.end(result);
    expect(end && dialect.succeeded(end)).toBe(false);
    expect(result.exitCode).toBe({ claude: 1, codex: 1, gemini: 401 % 256 }[tool]);
  });

  test('fails on an unknown session id without asking the model', async () => {
    const result = await current().bench.run(dialect.resume(UNKNOWN_ID), 'nobody home');
    expect(result.exitCode).toBe({ claude: 1, codex: 1, gemini: 42 }[tool]);
    expect(result.rows.map((row) => row.type)).toEqual(tool === 'claude' ? ['result'] : []);
    expect(result.stderr).toMatch(LOST_SESSION[tool]);
    expect(current().fake.turns('nobody home')).toEqual([]);
  });

  test('sends only the fake key, and only the turns it was given', () => {
    const { log } = current().fake;
    const asked = log.filter((request) => request.api !== undefined);
    expect(new Set(asked.map((request) => request.credential))).toEqual(new Set([FAKE_KEY]));
    expect(asked.filter((request) => request.side)).toEqual([]);
  });
});

describe('signals to the process group', () => {
  const stages = { claude: stage('claude'), codex: stage('codex'), gemini: stage('gemini') };

  test('claude reports an interrupted turn as an error row, and still exits with 0', async () => {
    const result = await interrupted(stages.claude(), 'SIGINT');
    expect(result).toMatchObject({ exitCode: 0, signal: null });
    expect(result.rows.at(-1)).toMatchObject({
      type: 'result',
      subtype: 'error_during_execution',
      is_error: true,
    });
  });

  test('codex stops without a row that ends the turn', async () => {
    const result = await interrupted(stages.codex(), 'SIGINT');
    expect(result).toMatchObject({ exitCode: 1, signal: null });
    expect(result.rows.at(-1)).toMatchObject({ type: 'turn.started' });
  });

  test('gemini stops without a result row, and exits with 0', async () => {
    const result = await interrupted(stages.gemini(), 'SIGINT');
    expect(result).toMatchObject({ exitCode: 0, signal: null });
    expect(DIALECTS.gemini.end(result)).toBeUndefined();
  });

  test('SIGTERM ends each of them without an end row', async () => {
    const ends: Partial<Record<AgentTool, unknown>> = {};
    for (const tool of ['claude', 'codex', 'gemini'] as const) {
      const result = await interrupted(stages[tool](), 'SIGTERM');
      ends[tool] = [result.exitCode, result.signal];
      expect(DIALECTS[tool].end(result)).toBeUndefined();
    }
    expect(ends).toEqual({ claude: [143, null], codex: [null, 'SIGTERM'], gemini: [0, null] });
  });
});

describe('model and reasoning', () => {
  const claude = stage('claude');
  const codex = stage('codex');
  const gemini = stage('gemini');

  test.each([
    ['low', 'low'],
    ['high', 'high'],
    ['max', 'max'],
  ])('claude --effort %s', async (effort, sent) => {
    await claude().bench.run(
      ['--model', 'claude-opus-4-6', '--effort', effort, ...CLAUDE],
      `effort ${effort}`,
    );
    const request = requestOf(claude(), `effort ${effort}`);
    expect(request.model).toBe('claude-opus-4-6');
    expect(request.reasoning).toMatchObject({ output_config: { effort: sent } });
  });

  test('claude only warns about an effort it does not know', async () => {
    const result = await claude().bench.run([...CLAUDE, '--effort', 'nonsense'], 'effort nonsense');
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain('Valid values: low, medium, high, xhigh, max.');
  });

  test('claude drops an effort without a word where the model has none', async () => {
    const result = await claude().bench.run(
      ['--model', 'claude-sonnet-4-5', '--effort', 'low', ...CLAUDE],
      'no effort',
    );
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    const { reasoning } = requestOf(claude(), 'no effort');
    expect(reasoning).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 31_999 } });
    expect(reasoning).not.toHaveProperty('output_config');
  });

  test.each([
    ['other-model', 'high', 'high'],
    ['gpt-5.6-sol', 'xhigh', 'xhigh'],
    // The CLI itself turns its top preset into the highest one of the API.
    ['gpt-5.6-sol', 'ultra', 'max'],
  ])('codex %s, %s', async (model, effort, sent) => {
    const overrides = [`--config=model="${model}"`, `--config=model_reasoning_effort="${effort}"`];
    await codex().bench.run([...overrides, ...DIALECTS.codex.first], `effort ${effort} of ${model}`);
    const request = requestOf(codex(), `effort ${effort} of ${model}`);
    expect(request.model).toBe(model);
    expect(request.reasoning).toMatchObject({ effort: sent });
  });

  test('gemini -m', async () => {
    await gemini().bench.run([...GEMINI, '-m', 'gemini-2.5-pro'], 'another model');
    expect(requestOf(gemini(), 'another model').model).toBe('gemini-2.5-pro');
  });

  const BUDGET = { thinkingBudget: 2048 };
  const LEVEL = { thinkingLevel: 'LOW' };

  // Gemini reads a system settings file only if root owns it and every folder above it, and no other user may write
  // there. In a user namespace the root of the file system belongs to the user `nobody`.
  const rootOwned = statSync('/').uid === 0;
  const honoured: readonly (readonly [string, Record<string, unknown>])[] = [
    [FAKE_MODEL.gemini, BUDGET],
    ['gemini-3-pro-preview', LEVEL],
  ];
  test.each(rootOwned ? honoured : [])(
    'gemini takes reasoning from a system settings file: %s',
    async (model, thinkingConfig) => {
      const file = await systemSettings(os.homedir(), thinkingConfig);
      const result = await gemini().bench.run([...GEMINI, '-m', model], `thinking ${model}`, {
        GEMINI_CLI_SYSTEM_SETTINGS_PATH: file,
      });
      expect(result.stderr).not.toContain('Skipping system settings');
      expect(requestOf(gemini(), `thinking ${model}`).reasoning).toMatchObject({ thinkingConfig });
    },
  );

  test('gemini ignores a system settings file in a folder that others may write to', async () => {
    const file = await systemSettings('/tmp', BUDGET);
    const result = await gemini().bench.run(GEMINI, 'insecure settings', {
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: file,
    });
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain('Skipping system settings file');
    expect(requestOf(gemini(), 'insecure settings').reasoning).not.toMatchObject({ thinkingConfig: BUDGET });
  });
});

describe('what a launch has to know', () => {
  const claude = stage('claude');
  const codex = stage('codex');
  const gemini = stage('gemini');

  test('codex wants a git repository or --skip-git-repo-check, trusted or not', async () => {
    const result = await codex().bench.run(['exec', '--json', '-'], 'no repository');
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toContain('Not inside a trusted directory');
  });

  test('claude skips permissions as root only with IS_SANDBOX=1', async () => {
    const args = [...CLAUDE, '--dangerously-skip-permissions'];
    const refused = await claude().bench.run(args, 'as root');
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('cannot be used with root');
    const prompt = 'in a sandbox [[tool=Bash {"command":"echo tool-ran","description":"x"}]]';
    const allowed = await claude().bench.run(args, prompt, { IS_SANDBOX: '1' });
    expect(DIALECTS.claude.answer(allowed)).toContain('<<toolresult tool-ran>>');
  });

  test('gemini is one process with GEMINI_CLI_NO_RELAUNCH, and then a signal to its pid is enough', async () => {
    const { bench, fake } = gemini();
    const env = { GEMINI_CLI_NO_RELAUNCH: 'true' };
    const run = await bench.start(GEMINI, 'one process [[delay=20000]]', env);
    await fake.turn('one process');
    run.child.kill('SIGINT');
    const result = await run.result;
    expect(result).toMatchObject({ exitCode: 0, signal: null });
    expect(DIALECTS.gemini.end(result)).toBeUndefined();
  });
});

/** A settings file that sets how much every chat model thinks, whatever its name is after gemini's own renaming. */
async function systemSettings(
  parent: string,
  thinkingConfig: Readonly<Record<string, unknown>>,
): Promise<string> {
  const file = path.join(await mkdtemp(path.join(parent, 'settings-')), 'settings.json');
  const override = {
    match: { isChatModel: true },
    modelConfig: { generateContentConfig: { thinkingConfig } },
  };
  await writeFile(file, JSON.stringify({ modelConfigs: { customOverrides: [override] } }));
  return file;
}
