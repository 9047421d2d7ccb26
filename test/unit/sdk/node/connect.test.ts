import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConnectFailed, type ConnectOptions, connect } from '@houmao/sdk/node';
import { assert, expect, onTestFinished, test, vi } from 'vitest';
import { startGateway } from '../../../support/gateway-process.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { makeSession } from '../../../support/test-session.js';
import { answerJson, type Handler, serve } from '../local-server.js';

async function refusal(options: ConnectOptions): Promise<ConnectFailed> {
  const error = await connect(options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert(error instanceof ConnectFailed, `expected a ConnectFailed, got ${String(error)}`);
  return error;
}

/** A registry with records written by hand, and what is in the sessions that they name. */
function handmade() {
  const root = temporaryFolder();
  const folder = join(root, 'live_agents');
  const write = (path: string, content: unknown) => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  };
  return {
    root,
    folder,
    write,
    record(name: string, { id = `id-${name}`, leaseHours = 1, port = 0, token = '' } = {}) {
      const session = join(root, 'sessions', id);
      write(join(folder, id, 'record.json'), {
        schema_version: 2,
        agent_name: name,
        agent_id: id,
        generation_id: 'g1',
        lease_expires_at: new Date(Date.now() + leaseHours * 3_600_000).toISOString(),
        runtime: { manifest_path: join(session, 'manifest.json') },
        terminal: { kind: 'tmux', session_name: `tmux-${name}` },
      });
      if (port) write(join(session, 'gateway/run/current-instance.json'), { schema_version: 1, port });
      if (token) write(join(session, 'gateway/access-token'), `${token}\n`);
      return session;
    },
  };
}

/** A handler that answers as the gateway of an agent does. */
const statusOf =
  (name: string): Handler =>
  (_received, res) =>
    answerJson(res, 200, { tmux_session_name: `tmux-${name}`, status: 'ok' });

test('a gateway is found by the name of its agent, and its client works', async () => {
  const session = await makeSession({ name: 'alpha' });
  onTestFinished(session.remove);
  const registryRoot = join(session.folder, 'registry');
  const none = await refusal({ agent: 'alpha', registryRoot });
  expect(none).toMatchObject({
    errorCode: 'no_gateway',
    seen: [{ agentName: 'HOUMAO-alpha', gateway: 'absent' }],
  });
  expect(none.detail).toBe(
    `HOUMAO-alpha has no gateway that can be used: no gateway has published itself in ${session.paths.root}. Start one (houmao-mgr agents gateway attach alpha), or prompt it by a server (@houmao/sdk/managed-agent).`,
  );

  const gateway = await startGateway(session);
  vi.stubEnv('HOUMAO_GLOBAL_REGISTRY_DIR', registryRoot);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const agent of ['alpha', 'HOUMAO-alpha']) {
    const client = await connect({ agent, timeoutMs: 30_000 });
    expect(await client.prompt(`Hello ${agent}`)).toContain(`Hello ${agent}`);
  }

  await gateway.kill();
  const silent = await refusal({ agent: 'alpha' });
  expect(silent).toMatchObject({ errorCode: 'gateway_silent', seen: [{ gateway: 'silent' }] });
  expect(silent.detail).toMatch(
    /its gateway gives no answer: No answer from .*ECONNREFUSED.*houmao-mgr agents gateway attach alpha/,
  );
});

test('an unknown name is answered with the records there are, how each stands, and what to do', async () => {
  const { root, folder, record, write } = handmade();
  const server = await serve(statusOf('HOUMAO-serving'));
  record('HOUMAO-serving', { port: server.port });
  const session = record('HOUMAO-old', { leaseHours: -1 });
  write(join(folder, 'zz', 'record.json'), '{"agent_name": "HOUMAO-half');
  const error = await refusal({ agent: 'alpha', registryRoot: root });
  expect(error).toMatchObject({
    errorCode: 'unknown_agent',
    folder,
    seen: [
      { agentName: 'HOUMAO-old', gateway: 'absent', leaseExpired: true, sessionRoot: session },
      { agentName: 'HOUMAO-serving', gateway: 'serving', leaseExpired: false },
    ],
    unusable: [{ path: join(folder, 'zz', 'record.json') }],
  });
  expect(error.message).toBe(
    `There is no agent alpha in ${folder}. It has HOUMAO-old (no gateway has published itself in ${session}; its record has not been renewed for a day); HOUMAO-serving (its gateway answers); ${folder}/zz/record.json, which cannot be used (it is no record with agent_name, agent_id and runtime.manifest_path). Launch it (houmao-mgr agents launch --tool claude --headless --name alpha), or name the registry that has it (registryRoot, HOUMAO_GLOBAL_REGISTRY_DIR).`,
  );
});

test('a registry that is not there has no records; one that cannot be read is no empty one', async () => {
  const root = temporaryFolder();
  const error = await refusal({ agent: 'alpha', registryRoot: root });
  expect(error).toMatchObject({ errorCode: 'unknown_agent', seen: [], unusable: [] });
  expect(error.detail).toContain(
    `There is no agent alpha in ${root}/live_agents. It has no records. Launch it`,
  );
  writeFileSync(join(root, 'live_agents'), '');
  expect(await refusal({ agent: 'alpha', registryRoot: root })).toMatchObject({
    errorCode: 'registry_unreadable',
    detail: expect.stringContaining(`The records of agents in ${root}/live_agents cannot be read (ENOTDIR)`),
  });
});

test('a name that several agents have is answered with their ids, and an id leads to one', async () => {
  const { root, folder, record } = handmade();
  const server = await serve(statusOf('alpha'));
  record('alpha', { id: 'a1', port: server.port });
  const session = record('HOUMAO-alpha', { id: 'a2' });
  const error = await refusal({ agent: 'alpha', registryRoot: root });
  expect(error.errorCode).toBe('ambiguous_agent');
  expect(error.detail).toBe(
    `alpha means several agents of ${folder}: alpha (its gateway answers), id a1; HOUMAO-alpha (no gateway has published itself in ${session}), id a2. Name one by its id, or by its whole name where they differ in it.`,
  );
  const client = await connect({ agent: 'a1', registryRoot: root });
  const { length } = server.received;
  await client.getStatus();
  expect(server.received).toHaveLength(length + 1);
});

test('the gateway of another agent at the published port is not taken for it', async () => {
  const { root, record } = handmade();
  const server = await serve(statusOf('HOUMAO-beta'));
  record('HOUMAO-alpha', { port: server.port });
  record('HOUMAO-beta', { port: server.port });
  const error = await refusal({ agent: 'alpha', registryRoot: root });
  expect(error).toMatchObject({ errorCode: 'gateway_silent' });
  expect(error.detail).toContain(`the gateway of another agent answers at http://127.0.0.1:${server.port}`);
  expect(error.detail).toContain(`Also in ${root}/live_agents: HOUMAO-beta (its gateway answers).`);
});

test('the client has the token of the session; a gateway that refuses it all the same is no silent one', async () => {
  const { root, record } = handmade();
  const server = await serve((received, res) =>
    received.headers.authorization === 'Bearer right'
      ? statusOf('HOUMAO-alpha')(received, res)
      : answerJson(res, 401, { detail: 'A token is needed.' }),
  );
  record('HOUMAO-alpha', { port: server.port, token: 'right' });
  record('HOUMAO-beta', { port: server.port, token: 'wrong' });
  await (await connect({ agent: 'alpha', registryRoot: root })).getHealth();
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer right',
    'Bearer right',
  ]);
  const error = await refusal({ agent: 'beta', registryRoot: root });
  expect(error).toMatchObject({ errorCode: 'gateway_refuses' });
  expect(error.detail).toContain('its gateway refuses this caller: A token is needed. Run as the user');
});

test.each([
  [{ agent: '' }, /agent must be an agent's name, for example \{ agent: 'alpha' \}/],
  [{} as ConnectOptions, /agent must be an agent's name/],
])('%j is no agent', async (options, words) => {
  await expect(connect(options)).rejects.toThrow(words);
});

test('a registry that is named by a relative path is refused', async () => {
  vi.stubEnv('HOUMAO_GLOBAL_REGISTRY_DIR', 'registry');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(connect({ agent: 'alpha' })).rejects.toThrow(/^HOUMAO_GLOBAL_REGISTRY_DIR .*; it is registry/);
});
