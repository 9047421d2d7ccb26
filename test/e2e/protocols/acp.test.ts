// One agent for an editor, by the Agent Client Protocol.
import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import {
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { startManager } from '../../support/manager.js';
import { managerProgram } from '../../support/test-session.js';
import { serverStage } from '../cli/server-stage.js';

const stage = serverStage();
const { agents, folder } = stage;

/** A headless agent with a gateway. */
async function headless(): Promise<string> {
  const { name } = await stage.launch('--headless', '--no-tmux');
  expect((await agents('gateway', 'attach', name)).code).toBe(0);
  return name;
}

interface Editor {
  readonly updates: SessionUpdate[];
  readonly questions: RequestPermissionRequest[];
  readonly agent: ClientContext;
  /** The text of the messages of one side. */
  said(by: 'agent_message_chunk' | 'user_message_chunk'): string;
  newSession(): Promise<string>;
  prompt(sessionId: string, text: string): Promise<{ stopReason: string; _meta?: unknown }>;
}

/** An editor that has started `houmao-mgr acp`. @param choose the label of the choice with which it answers questions. */
async function editorOf(name: string, choose = /Yes/): Promise<Editor> {
  const child = spawn(managerProgram, ['acp', name], {
    env: stage.environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const updates: SessionUpdate[] = [];
  const questions: RequestPermissionRequest[] = [];
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  const connection = client({ name: 'a test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      questions.push(params);
      const optionId = params.options.find(({ name: label }) => choose.test(label))?.optionId ?? '';
      return { outcome: { outcome: 'selected', optionId } };
    })
    .connect(stream);
  onTestFinished(() => void child.stdin.end());
  const { agent } = connection;
  await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {},
  });
  return {
    updates,
    questions,
    agent,
    said: (by) =>
      updates
        .map((update) =>
          update.sessionUpdate === by && update.content.type === 'text' ? update.content.text : '',
        )
        .join(''),
    newSession: async () =>
      (await agent.request(methods.agent.session.new, { cwd: folder, mcpServers: [] })).sessionId,
    prompt: (sessionId, text) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
  };
}

test('a prompt goes through the queue; its text and its tools are shown while it runs, and its delivery in the end', async () => {
  const editor = await editorOf(await headless());
  const session = await editor.newSession();
  const { stopReason, _meta } = await editor.prompt(session, 'hello [[tool=Bash {"command":"ls"}]]');
  expect(stopReason).toBe('end_turn');
  expect(_meta).toMatchObject({
    houmao: { turn_id: `${session}-1`, delivery: { state: 'confirmed', evidence: expect.any(String) } },
  });
  expect(editor.said('agent_message_chunk')).toContain('You said: hello');
  expect(editor.updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: 'tool_call', kind: 'execute', status: 'in_progress' }),
  );
  expect(editor.updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: 'tool_call_update', status: 'completed' }),
  );
});

test('each session is a conversation of its own, which another program can load', async () => {
  const name = await headless();
  const editor = await editorOf(name);
  const [one, two] = [await editor.newSession(), await editor.newSession()];
  await editor.prompt(one, 'first');
  await editor.prompt(two, 'elsewhere');
  await editor.prompt(one, 'second');
  expect(editor.said('agent_message_chunk')).toMatch(
    /first \(turn 1 .*elsewhere \(turn 1 .*second \(turn 2 /s,
  );
  const other = await editorOf(name);
  await other.agent.request(methods.agent.session.load, { sessionId: one, cwd: folder, mcpServers: [] });
  expect(other.said('user_message_chunk')).toBe('firstsecond');
  expect(other.said('agent_message_chunk')).toMatch(/first \(turn 1 .*second \(turn 2 /s);
  await other.prompt(one, 'third');
  await editor.prompt(one, 'fourth');
  expect(editor.said('agent_message_chunk')).toContain('fourth (turn 4 ');
});

test('a cancel stops the prompt of the session and no other: one that runs, and one that waits', async () => {
  const name = await headless();
  const [first, second] = [await editorOf(name), await editorOf(name)];
  const [running, waiting] = [await first.newSession(), await second.newSession()];
  const held = first.prompt(running, '[[slow=60000]] hold');
  await expect.poll(async () => (await agents('requests', 'list', name)).stdout).toContain('running');
  const queued = second.prompt(waiting, 'behind it');
  await expect
    .poll(() => second.updates)
    .toContainEqual(expect.objectContaining({ sessionUpdate: 'agent_thought_chunk' }));
  await second.agent.notify(methods.agent.session.cancel, { sessionId: waiting });
  expect(await queued).toMatchObject({ stopReason: 'cancelled' });
  await first.agent.notify(methods.agent.session.cancel, { sessionId: running });
  expect(await held).toMatchObject({ stopReason: 'cancelled' });
  expect(await second.prompt(waiting, 'again')).toMatchObject({ stopReason: 'end_turn' });
  // The prompt that was taken back began no conversation, and left no turn.
  expect(second.said('agent_message_chunk')).toContain('again (turn 1 of');
  const third = await editorOf(name);
  await third.agent.request(methods.agent.session.load, { sessionId: waiting, cwd: folder, mcpServers: [] });
  expect(third.said('user_message_chunk')).toBe('again');
});

test('what the agent in a terminal asks is asked of the editor, and its answer chosen', async () => {
  const { name } = await stage.launch('--tui');
  expect((await agents('gateway', 'attach', name)).code).toBe(0);
  await expect.poll(async () => (await agents('list')).stdout).toMatch(new RegExp(`${name} .*ready`));
  const editor = await editorOf(name);
  const session = await editor.newSession();
  const answered = editor.prompt(session, 'go [[tool=Bash {"command":"ls"}]]');
  expect(await answered).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.questions).toMatchObject([
    {
      sessionId: session,
      options: expect.arrayContaining([expect.objectContaining({ kind: 'allow_once' })]),
    },
  ]);
  expect(editor.said('agent_message_chunk')).toContain('go');
});

test.each([
  ['a turn that fails', (editor: Editor, id: string) => editor.prompt(id, '[[exit=7]]'), -32603],
  ['a session that there is not', (editor: Editor) => editor.prompt('acp-000000000000', 'x'), -32602],
  [
    'a picture',
    (editor: Editor, sessionId: string) =>
      editor.agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }],
      }),
    -32602,
  ],
  [
    'the load of a session that there is not',
    (editor: Editor) =>
      editor.agent.request(methods.agent.session.load, {
        sessionId: 'acp-000000000000',
        cwd: folder,
        mcpServers: [],
      }),
    -32602,
  ],
] as const)('%s is refused, and the session goes on', async (_what, ask, code) => {
  const editor = await editorOf(await headless());
  const session = await editor.newSession();
  await expect(ask(editor, session)).rejects.toMatchObject({ code });
  expect(await editor.prompt(session, 'hello')).toMatchObject({ stopReason: 'end_turn' });
});

test('an agent that there is not is a mistake of the caller, said in a sentence', async () => {
  const editor = await editorOf('nobody');
  await expect(editor.newSession()).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('nobody'),
  });
});

test('an agent with an empty name is refused before anything is served', async () => {
  expect(await stage.run('acp', '')).toMatchObject({ code: 2, stdout: '' });
});

test('an agent without a gateway is refused with the command that starts one', async () => {
  const { name } = await stage.launch('--headless', '--no-tmux');
  const editor = await editorOf(name);
  await expect(editor.newSession()).rejects.toThrow(`houmao-mgr agents gateway attach ${name}`);
});

test('an editor that goes leaves the turn running, and nothing of its own', async () => {
  const name = await headless();
  const { child, ran } = startManager(stage.environment, ['acp', name]);
  const send = (id: number, method: string, params: object) =>
    child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  let out = '';
  child.stdout!.on('data', (data: Buffer) => {
    out += data.toString();
  });
  send(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} });
  await expect.poll(() => out).toContain('agentCapabilities');
  send(2, 'session/new', { cwd: folder, mcpServers: [] });
  await expect.poll(() => /acp-[0-9a-f]{12}/.exec(out)?.[0]).toBeDefined();
  const prompt = [{ type: 'text', text: '[[slow=3000]] by itself' }];
  send(3, 'session/prompt', { sessionId: /acp-[0-9a-f]{12}/.exec(out)?.[0], prompt });
  await expect.poll(async () => (await agents('requests', 'list', name)).stdout).toContain('running');
  child.stdin!.end();
  expect((await ran).code).toBe(0);
  await expect.poll(async () => (await agents('requests', 'list', name)).stdout).toContain('completed');
});
