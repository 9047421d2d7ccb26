// The agents of a server as tools of programs that speak MCP: at /mcp and over standard input and output.
import { join } from 'node:path';
import { Client, type ProgressCallback, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { goOnWords } from '../../../src/cli/commands/server/server.js';
import { managerEnvironment } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { managerProgram } from '../../support/test-session.js';
import { addressOf } from '../cli/mail-stage.js';
import { serverStage } from '../cli/server-stage.js';

const stage = serverStage();
const { agents, folder } = stage;

interface ToolText {
  readonly text: string;
  readonly isError: boolean;
  readonly progress: readonly string[];
}

/** Calls a tool as a client does, and returns what the model reads. */
async function callWith(client: Client, name: string, given: Record<string, unknown>): Promise<ToolText> {
  const progress: string[] = [];
  const onprogress: ProgressCallback = ({ message = '' }) => void progress.push(message);
  const { content, isError = false } = await client.callTool({ name, arguments: given }, { onprogress });
  return { text: content.map((part) => (part.type === 'text' ? part.text : '')).join(), isError, progress };
}

const clientOf = (): Client => new Client({ name: 'a test', version: '1.0.0' });

let client: Client;
beforeAll(async () => {
  client = clientOf();
  await client.connect(new StreamableHTTPClientTransport(new URL(`${stage.url}/mcp`)));
});
afterAll(() => client.close());

const call = (name: string, given: Record<string, unknown> = {}) => callWith(client, name, given);
const turnIn = ({ text }: ToolText): string => /turn-[0-9a-f]{12}/.exec(text)?.[0] ?? text;
/** The arguments with which a result says to go on. */
const goOn = ({ text }: ToolText): Record<string, unknown> =>
  JSON.parse(/ wait\((.+)\)\.$/m.exec(text)?.[1] ?? text);

/** A headless agent, with a gateway. */
async function withGateway(...flags: string[]): Promise<string> {
  const { name } = await stage.launch('--headless', '--no-tmux', ...flags);
  expect((await agents('gateway', 'attach', name)).code).toBe(0);
  return name;
}

test('the tools are twelve at most, and each says what it does and what it takes', async () => {
  const { tools } = await client.listTools();
  expect(tools.length).toBeLessThanOrEqual(12);
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      ...['list_agents', 'prompt', 'wait', 'read_turn', 'follow', 'interrupt', 'answer_dialog', 'screen'],
      ...['send_mail', 'read_mail', 'remind', 'fleet'],
    ]),
  );
  for (const { description = '', inputSchema } of tools) {
    expect(description.length).toBeGreaterThan(40);
    expect(inputSchema.additionalProperties).toBe(false);
  }
});

describe.each([
  ['with a gateway', () => withGateway()],
  ['without one', async () => (await stage.launch('--headless', '--no-tmux')).name],
])('an agent %s', (_how, launch) => {
  test('answers a prompt, with the evidence of its delivery', async () => {
    const agent = await launch();
    const { text, isError, progress } = await call('prompt', { agent, text: 'hello' });
    expect({ isError, text }).toEqual({ isError: false, text: expect.stringContaining('You said: hello') });
    expect(text).toMatch(/^delivery: confirmed \(.+\)$/m);
    expect(progress.length).toBeGreaterThan(0);
  });

  test('works on behind a call whose time is over, and its turn can be awaited', async () => {
    const agent = await launch();
    const begun = await call('prompt', { agent, text: '[[slow=3000]] late', wait_seconds: 0 });
    expect(begun).toMatchObject({ isError: false, text: expect.stringContaining('Not ended yet.') });
    expect(begun.text).not.toContain('You said');
    const ended = await call('wait', goOn(begun));
    expect(ended.text).toContain('You said: late');
    expect((await call('read_turn', { ...goOn(begun), max_characters: 4 })).text).toMatch(
      /^You \n\[cut: 4 of \d+ /m,
    );
  });

  test('is interrupted in the turn that is meant', async () => {
    const agent = await launch();
    const begun = await call('prompt', { agent, text: '[[slow=60000]] stop me', wait_seconds: 0 });
    await expect
      .poll(async () => (await call('list_agents')).text)
      .toMatch(new RegExp(`${agent} .*runs turn`));
    const { text } = await call('interrupt', { agent });
    expect(text).toMatch(/^turn turn-\w+: ended interrupted/);
    expect((await call('interrupt', { agent })).text).toContain('nothing was interrupted');
    expect((await call('interrupt', goOn(begun))).text).toMatch(/^It had ended; nothing was interrupted\.\n/);
    expect((await call('read_turn', goOn(begun))).text).toBe(text);
  });
});

test('a prompt that waits behind another is accepted and not delivered, and can be taken back', async () => {
  const agent = await withGateway();
  const first = await call('prompt', { agent, text: '[[slow=60000]] first', wait_seconds: 0 });
  const second = await call('prompt', { agent, text: 'second', wait_seconds: 0 });
  expect(second.text).toMatch(/accepted, not delivered yet\nwaiting, place 1 in the queue: busy: /);
  expect((await call('interrupt', goOn(second))).text).toMatch(/^request gwreq-\S+: cancelled$/m);
  expect((await call('read_turn', goOn(second))).text).toMatch(/^request gwreq-\S+: cancelled$/m);
  expect((await call('interrupt', goOn(first))).text).toContain('ended interrupted');
});

test('an agent is shown by the name that people gave it', async () => {
  const agent = await withGateway();
  const { text } = await call('list_agents');
  expect(text).toMatch(new RegExp(`^${agent} \\(`, 'm'));
  expect(text).not.toContain('HOUMAO-');
});

test.each([
  ['with a gateway', () => withGateway()],
  ['without one', async () => (await stage.launch('--headless', '--no-tmux')).name],
])('a blank prompt is refused by the name of its argument: an agent %s', async (_how, launch) => {
  const { text, isError } = await call('prompt', { agent: await launch(), text: ' ' });
  expect([isError, text]).toEqual([true, expect.stringMatching(/^validation_failed: text: /)]);
});

test('a prompt in a paused queue says with which command it goes on', async () => {
  const agent = await withGateway();
  await agents('gateway', 'pause', agent);
  const { text } = await call('prompt', { agent, text: 'later', wait_seconds: 0 });
  expect(text).toContain(`houmao-mgr agents gateway resume ${agent}`);
});

test('a repeat with the same key does not prompt the agent again', async () => {
  const agent = await withGateway();
  const given = { agent, text: 'once', idempotency_key: 'mcp-once' };
  const [one, two] = [await call('prompt', given), await call('prompt', given)];
  expect(turnIn(two)).toBe(turnIn(one));
});

test.each([
  ['prompt', { agent: 'nobody', text: 'x' }, /^unknown_agent: .*`nobody`/],
  ['prompt', { agent: 'nobody', txt: 'x' }, /text: .*Unrecognized key: "txt"/s],
  ['prompt', { agent: ' ', text: 'x' }, /^unknown_agent: /],
  ['wait', { agent: 'nobody', turn_id: 'turn-1', wait_seconds: 301 }, /wait_seconds/],
  ['wait', { agent: 'nobody' }, /Give either request_id or turn_id/],
  ['interrupt', { agent: 'nobody', turn_id: 'a', request_id: 'b' }, /Give either request_id or turn_id/],
  ['remind', { agent: 'nobody', title: 't', text: 'x' }, /Give either in_seconds or at/],
  ['answer_dialog', { agent: 'nobody', dialog_id: 'd', choose: 1, keys: 'y' }, /Give either choose or keys/],
])('%s with %j is refused in words that say why', async (name, given, words) => {
  const { text, isError } = await call(name, given);
  expect({ isError, text }).toEqual({ isError: true, text: expect.stringMatching(words) });
});

test('what happens can be followed from place to place without a gap', async () => {
  const agent = await withGateway();
  await call('prompt', { agent, text: 'hello' });
  const kinds: string[] = [];
  for (let after = '0'; !kinds.includes('turn_ended'); ) {
    const { text } = await call('follow', { agent, after, limit: 3 });
    kinds.push(...[...text.matchAll(/^\S+ \S+ (\w+) /gm)].map(([, kind = '']) => kind));
    after = /^after: (\S+)$/m.exec(text)?.[1] ?? text;
  }
  expect(kinds.slice(0, 3)).toEqual(['instance_observed', 'gateway_started', 'accepted']);
  expect(new Set(kinds).size).toBe(kinds.length);
  const other = await withGateway();
  const { text } = await call('follow', { agent: other, after: '0', limit: 1, wait_seconds: 0 });
  expect(text).toMatch(new RegExp(`^\\S+ ${other} instance_observed `));
});

test('mail goes from agent to agent, and a reminder is added', async () => {
  const root = join(folder, 'mailbox');
  const [from, to] = [await withGateway('--mailbox', root), await withGateway('--mailbox', root)];
  const mail = { agent: from, to: [addressOf(to)], subject: 'The parser', body: 'Is it right?' };
  const sent = await call('send_mail', mail);
  expect(sent).toMatchObject({ isError: false, text: expect.stringMatching(/^Delivered as /) });
  const listed = await call('read_mail', { agent: to, unread_only: true });
  expect(listed.text).toContain(`unread from ${addressOf(from)}: The parser`);
  const message_ref = /^(\S+) \S+ unread/m.exec(listed.text)?.[1];
  expect((await call('read_mail', { agent: to, message_ref })).text).toMatch(/\n\nIs it right\?/);
  expect((await call('read_mail', { agent: to, unread_only: true })).text).toContain('1 unread');
  await call('read_mail', { agent: to, message_ref, mark_read: true });
  expect((await call('read_mail', { agent: to, unread_only: true })).text).toContain('0 unread');
  const reminder = { agent: to, title: 'again', text: 'Look again', in_seconds: 3600, every_seconds: 60 };
  expect((await call('remind', reminder)).text).toMatch(/^reminder greminder-\w+: due .+, then every 60 /);
});

test('a reminder is put where it fires: before one that repeats, of which there is one', async () => {
  const agent = await withGateway();
  const remind = (given: object) => call('remind', { agent, title: 't', text: 'Look again', ...given });
  const repeating = /greminder-\w+/.exec((await remind({ in_seconds: 9000, every_seconds: 60 })).text)?.[0];
  const once = { in_seconds: 3600, idempotency_key: 'remind-once' };
  const { text } = await remind(once);
  expect(text).not.toContain(repeating);
  expect((await remind(once)).text).toContain(/greminder-\w+/.exec(text)?.[0]);
  expect(await remind({ in_seconds: 5, every_seconds: 60 })).toMatchObject({
    isError: true,
    text: expect.stringContaining(`${repeating} already repeats`),
  });
});

test('a turn that brings no answer is an error, with all that is known of it', async () => {
  const agent = await withGateway();
  const { text, isError } = await call('prompt', { agent, text: '[[exit=7]]' });
  expect(isError).toBe(true);
  expect(text).toMatch(/^turn turn-\w+: ended failed .*\ndelivery: \w+.*\nerror: agent_failed: /);
});

test('the question of an agent in a terminal is shown, and answered when it is still the one', async () => {
  const switches = ['--env', 'HOUMAO_STANDIN_TUI=trust-dialog'];
  const { name: agent } = await stage.launch('--tui', ...switches);
  expect((await agents('gateway', 'attach', agent)).code).toBe(0);
  const asking = async () => (await call('list_agents')).text;
  await expect.poll(asking).toMatch(new RegExp(`${agent} .*needs_person[^]*asks: `));
  const { text } = await call('screen', { agent });
  const dialog_id = /dialog-[0-9a-f]+/.exec(text)?.[0];
  const choose = Number(/ (\d+)\. Yes/.exec(text)?.[1]);
  const wrong = await call('answer_dialog', { agent, dialog_id: 'dialog-000000000000', choose: 1 });
  expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('Nothing was chosen') });
  expect((await call('answer_dialog', { agent, dialog_id, choose })).text).toMatch(/^answered: /);
  await expect.poll(asking).toContain(`${agent} (claude, terminal): ready`);
  expect((await call('screen', { agent })).text).toMatch(/^It asks nothing\./);
});

describe('a client of the stateless revision that knows tasks', () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
  };
  const rpc = async (method: string, params: Record<string, unknown>) => {
    const answer = await fetch(`${stage.url}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
        'Mcp-Name': String(params.name ?? params.taskId),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
    });
    return (await answer.json()) as { result: Record<string, unknown>; error?: { code: number } };
  };
  const prompt = (agent: string, text: string) =>
    rpc('tools/call', { name: 'prompt', arguments: { agent, text } });
  const task = async (taskId: unknown) => (await rpc('tasks/get', { taskId })).result;

  test('gets a task at once, which has the answer in the end', async () => {
    const agent = await withGateway();
    const { result } = await prompt(agent, 'hello');
    expect(result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null });
    await expect.poll(async () => (await task(result.taskId)).status).toBe('completed');
    const content = [{ type: 'text', text: expect.stringContaining('You said: hello') }];
    expect(await task(result.taskId)).toMatchObject({ result: { content, isError: false } });
  });

  test('cancels a task, and no other: its turn is interrupted', async () => {
    const agent = await withGateway();
    const { result } = await prompt(agent, '[[slow=60000]] stop me');
    const behind = (await prompt(agent, 'behind it')).result;
    expect(await task(behind.taskId)).toMatchObject({ status: 'working' });
    expect(await rpc('tasks/cancel', { taskId: result.taskId })).toMatchObject({ result: {} });
    await expect.poll(async () => (await task(result.taskId)).status).toBe('cancelled');
    await expect.poll(async () => (await task(behind.taskId)).status).toBe('completed');
  });

  test.each(['%%%', '~turn-000000000000~4000~bm9ib2R5'])(
    'learns that there is no task %s',
    async (taskId) => {
      expect(await rpc('tasks/get', { taskId })).toMatchObject({ error: { code: -32602 } });
    },
  );
});

test('a page of another origin cannot call the tools', async () => {
  const answer = await fetch(`${stage.url}/mcp`, {
    method: 'POST',
    headers: { Origin: 'https://evil.example', 'Content-Type': 'application/json' },
    body: '{}',
  });
  expect(answer.status).toBe(403);
});

describe('over standard input and output', () => {
  const connect = async (environment: NodeJS.ProcessEnv): Promise<Client> => {
    const env = Object.fromEntries(Object.entries(environment).map(([name, value = '']) => [name, value]));
    const local = clientOf();
    await local.connect(new StdioClientTransport({ command: managerProgram, args: ['mcp'], env }));
    onTestFinished(() => local.close());
    return local;
  };

  test('the same tools reach the server of this host', async () => {
    const agent = await withGateway();
    const local = await connect(stage.environment);
    expect((await local.listTools()).tools).toHaveLength((await client.listTools()).tools.length);
    expect((await callWith(local, 'prompt', { agent, text: 'hello' })).text).toContain('You said: hello');
  });

  test('a host without a server says how to start one', async () => {
    const local = await connect(managerEnvironment(temporaryFolder()));
    const { text, isError } = await callWith(local, 'list_agents', {});
    expect([isError, text]).toEqual([true, expect.stringContaining('houmao-mgr server start')]);
  });
});

test('a server that stops ends the waits, and says with which ids to go on', async () => {
  const agent = await withGateway();
  const waiting = call('prompt', { agent, text: '[[slow=60000]] hold', wait_seconds: 300 });
  await expect
    .poll(async () => (await call('list_agents')).text)
    .toMatch(new RegExp(`${agent} .*runs turn turn-`));
  // It has agents, and says so.
  expect(await stage.run('server', 'stop')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(goOnWords(1)),
  });
  const { text, isError } = await waiting;
  expect([isError, text]).toEqual([true, expect.stringMatching(/^request_id: gwreq-\S+$/m)]);
});
