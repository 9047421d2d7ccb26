// A server of a later version has words that this one does not know. Who reads them goes on, and hands them on as they are.

import { createHoumaoClient, isHoumaoError } from '@houmao/sdk/managed-agent';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { withLaterWords } from '../../support/later-words.mjs';
import { managerProgram } from '../../support/test-session.js';
import { serverStage } from '../cli/server-stage.js';

const stage = serverStage();
let later: Awaited<ReturnType<typeof withLaterWords>>;
beforeAll(async () => {
  later = await withLaterWords(stage.url);
});
afterAll(() => later.close());

/** A headless agent with a gateway. */
async function launched(): Promise<string> {
  const { name } = await stage.launch('--headless', '--no-tmux');
  expect((await stage.agents('gateway', 'attach', name)).code).toBe(0);
  return name;
}
const theirs = (...args: string[]) => stage.agents(...args, '--server', later.url);

test('the SDK reads answers with such words, waits for work, and has the word of a refusal', async () => {
  const alpha = createHoumaoClient({ baseUrl: later.url }).agent(await launched());
  const handle = await alpha.gateway.submit('Hello');
  expect(await handle.answer()).toContain('Hello');
  expect((await handle.record()).request_kind).toBe('submit_prompt_of_later');
  expect((await alpha.gateway.getStatus()).backend).toBe('claude_headless_of_later');
  const refused: unknown = await alpha.gateway
    .request('gwreq-none')
    .record()
    .catch((error: unknown) => error);
  if (!isHoumaoError(refused)) throw refused;
  expect([refused.status, refused.errorCode]).toEqual([404, 'unknown_request_of_later']);
});

test('the command line prompts, and prints such words as they are', async () => {
  const name = await launched();
  const prompted = await theirs('prompt', name, 'Hello', '--json');
  expect([prompted.code, prompted.stdout]).toEqual([0, expect.stringContaining('submit_prompt_of_later')]);
  const status = await theirs('gateway', 'status', name);
  expect([status.code, status.stdout]).toEqual([0, expect.stringContaining('open of later')]);
  expect(status.stdout).not.toContain('undefined');
});

test('the tools of MCP prompt an agent at such a server', async () => {
  const agent = await launched();
  const client = new Client({ name: 'a test', version: '1.0.0' });
  const env = Object.fromEntries(
    Object.entries(stage.environment).map(([name, value = '']) => [name, value]),
  );
  const args = ['mcp', '--server', later.url];
  await client.connect(new StdioClientTransport({ command: managerProgram, args, env }));
  onTestFinished(() => client.close());
  const before = later.count();
  const { content, isError = false } = await client.callTool({
    name: 'prompt',
    arguments: { agent, text: 'Hello' },
  });
  expect([isError, JSON.stringify(content)]).toEqual([false, expect.stringContaining('Hello')]);
  expect(later.count()).toBeGreaterThan(before);
});
