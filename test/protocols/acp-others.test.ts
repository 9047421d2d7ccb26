// Clients of the Agent Client Protocol that others made: acpx talks to an agent, acplint checks it.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { nodeEnvironment } from '../../scripts/tools/node-environment.mjs';
import { pythonEnvironment } from '../../scripts/tools/python-environment.mjs';
import { serverStage } from '../e2e/cli/server-stage.js';

const stage = serverStage();
const { agents, folder } = stage;
const run = promisify(execFile);
let acpx: string;
let acplint: string;
beforeAll(() => {
  acpx = join(nodeEnvironment('acp', { dependencies: { acpx: '0.19.1' } }), '.bin', 'acpx');
  acplint = join(pythonEnvironment('acplint', 'test/protocols/requirements.txt', console.log), 'acplint');
});

/** A headless agent with a gateway. */
async function agent(): Promise<string> {
  const { name } = await stage.launch('--headless', '--no-tmux');
  expect((await agents('gateway', 'attach', name)).code).toBe(0);
  return name;
}

test('acpx prompts an agent and gets its answer', async () => {
  const command = `houmao-mgr acp ${await agent()}`;
  const options = { env: stage.environment, cwd: folder };
  const { stdout } = await run(acpx, ['--agent', command, '--format', 'quiet', 'exec', 'hello'], options);
  expect(stdout).toContain('You said: hello');
});

interface Result {
  readonly name: string;
  readonly category: string;
  readonly status: string;
  readonly message?: string;
}

async function lint(...command: string[]): Promise<Result[]> {
  const [program = '', ...args] = command;
  const report = join(folder, 'acplint.json');
  const flags = [
    '--agent',
    program,
    '--agent-args',
    args.join(' '),
    '--output',
    'json',
    '--output-file',
    report,
  ];
  // It exits with 1 where a check fails, which the report says.
  await run(acplint, [...flags, '--cwd', folder], { env: stage.environment }).catch(() => undefined);
  return (JSON.parse(readFileSync(report, 'utf8')) as { results: Result[] }).results;
}
const failures = (results: readonly Result[]): string[] =>
  results.filter(({ status }) => status !== 'PASS').map(({ name, message }) => `${name}: ${message}`);

test('acplint finds nothing, once its three slips are put right', async () => {
  const bridge = new URL('./acplint-bridge.mjs', import.meta.url).pathname;
  const results = await lint(process.execPath, bridge, 'houmao-mgr', 'acp', await agent());
  expect(failures(results)).toEqual([]);
  expect(results.length).toBeGreaterThan(40);
});

test('acplint still needs that: when this fails, the bridge can go', async () => {
  const results = await lint('houmao-mgr', 'acp', await agent());
  expect(failures(results)).toContainEqual(expect.stringMatching(/^initialize_v1: /));
});
