// Real CLIs as clients of our MCP server: their model finds our tools and prompts another agent with one of them.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serverStage } from '../e2e/cli/server-stage.js';
import { takenPrompts } from '../e2e/recovery/evidence.js';
import { managerProgram } from '../support/test-session.js';
import type { AgentTool } from './harness/agent-paths.js';
import { type Bench, makeBench } from './harness/cli.js';
import { DIALECTS } from './harness/dialects.js';
import { startFakeModel } from './harness/fake-model/server.js';
import { addMcpServer, type McpServer } from './harness/homes.js';

const stage = serverStage();

const TOOLS = [
  ...[
    'answer_dialog',
    'fleet',
    'follow',
    'interrupt',
    'list_agents',
    'prompt',
    'read_mail',
    'read_turn',
    'remind',
  ],
  ...['screen', 'send_mail', 'wait'],
];

/** Each CLI has a prefix of its own for the tools of the server `houmao`. */
const PREFIX: Readonly<Record<AgentTool, string>> = {
  claude: 'mcp__houmao__',
  codex: 'mcp__houmao.',
  gemini: 'mcp_houmao_',
};

/**
 * Nobody is there to be asked whether a tool may be used: Claude Code would refuse it, Gemini CLI not even offer it; Codex asks nothing.
 * It waits a second for a server that is not required (https://github.com/openai/codex/issues/38689), and then does without its tools.
 */
const FLAGS: Readonly<Record<AgentTool, string>> = {
  claude: '--allowedTools=mcp__houmao',
  codex: '--config=mcp_servers.houmao.required=true',
  gemini: '--approval-mode=yolo',
};

/** Claude Code does without the tools of a server as well that is not there soon (https://github.com/anthropics/claude-code/issues/65094). */
const PATIENCE = { MCP_CONNECTION_NONBLOCKING: '0', MCP_CONNECT_TIMEOUT_MS: '60000' };

const WAYS: Readonly<Record<string, () => McpServer>> = {
  'over standard input and output': () => ({
    command: managerProgram,
    args: ['mcp', '--server', stage.url],
  }),
  'over HTTP': () => ({ url: `${stage.url}/mcp` }),
};

/** A stand-in agent with a gateway, and where it writes down the prompts that it takes. */
async function agentWithLedger() {
  const ledger = join(stage.folder, `${crypto.randomUUID()}.ledger`);
  const where = ['--headless', '--no-tmux', '--env', `HOUMAO_STANDIN_LEDGER=${ledger}`];
  const { name } = await stage.launch(...where);
  expect((await stage.agents('gateway', 'attach', name)).code).toBe(0);
  return { name, ledger };
}

/** Claude Code tells its model only the names of the tools until it looks some up. @returns the flags that go on from there. */
async function lookedUp(bench: Bench): Promise<readonly string[]> {
  const { first, resume, sessionId } = DIALECTS[bench.tool];
  if (bench.tool !== 'claude') return first;
  const query = `select:${TOOLS.map((name) => PREFIX.claude + name).join()}`;
  const found = await bench.run(first, `look [[tool=ToolSearch ${JSON.stringify({ query })}]]`, PATIENCE);
  return resume(sessionId(found));
}

const CASES = (['claude', 'codex', 'gemini'] as const).flatMap((tool) =>
  Object.keys(WAYS).map((way) => [tool, way] as const),
);

test.each(CASES)('the model of %s has the tools %s, and prompts an agent with one', async (tool, way) => {
  const fake = await startFakeModel();
  onTestFinished(() => fake.close());
  const agent = await agentWithLedger();
  const bench = await makeBench(tool, fake.url);
  await addMcpServer(tool, bench.home, 'houmao', WAYS[way]!());

  const given = { agent: agent.name, text: 'count the files' };
  const task = `delegate [[tool=${PREFIX[tool]}prompt ${JSON.stringify(given)}]]`;
  const ran = await bench.run([FLAGS[tool], ...(await lookedUp(bench))], task, PATIENCE);
  expect([ran.exitCode, DIALECTS[tool].succeeded(DIALECTS[tool].end(ran)!)], ran.stderr).toEqual([0, true]);

  const [asked] = fake.turns('delegate');
  const ours = asked!.toolNames.filter((name) => name.startsWith(PREFIX[tool]));
  expect(ours.toSorted()).toEqual(TOOLS.map((name) => PREFIX[tool] + name));
  expect(fake.turns('toolresult').at(-1)).toMatchObject({
    text: expect.stringMatching(/delivery: confirmed \(.+You said: count the files/s),
  });
  expect(takenPrompts(agent.ledger)).toMatchObject([{ prompt: 'count the files' }]);
});
