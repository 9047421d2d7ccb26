import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tryLock } from '../../../src/foundation/directory-lock.js';
import { processesOfTurn } from '../../../src/foundation/marked-processes.js';
import { checkLaunch } from '../../../src/launch/check-launch.js';
import { createSession } from '../../../src/launch/create-session.js';
import { type SessionPaths, sessionPaths } from '../../../src/session/session-paths.js';
import { launchBody, prepare } from '../../support/brain.js';
import { isServed } from '../../support/http.js';
import { requestFor } from '../../support/launch-host.js';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { takenPrompts } from '../recovery/evidence.js';

// An agent from its launch to its end, through the server alone: afterwards nothing runs, and its files are there.

const folder = temporaryFolder();
const tmux = ownTmux();
const host = managedHost(folder, tmux);
const { requested, ledger } = prepare(folder);
let server: ServerProcess;
beforeAll(async () => {
  server = await startManagedServer(host, folder);
});
afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

interface Agent {
  id: string;
  name: string;
  session: string;
  paths: SessionPaths;
}
async function launched(name: string, query = ''): Promise<Agent> {
  const { status, body } = await server.ask('POST', `/houmao/agents/headless/launches${query}`, {
    ...launchBody(requested),
    agent_name: name,
  });
  expect({ status, detail: body.detail }).toMatchObject({ status: 200 });
  const { tracked_agent_id: id, identity, session_root } = body;
  return { id, name, session: identity.tmux_session_name, paths: sessionPaths(session_root) };
}
const of = ({ name }: Pick<Agent, 'name'>, rest: string) => `/houmao/agents/${name}${rest}`;
const begin = async (agent: Agent, prompt: string): Promise<string> => {
  const { status, body } = await server.ask('POST', of(agent, '/turns'), { prompt });
  expect({ status, detail: body.detail }).toMatchObject({ status: 200 });
  await expect.poll(() => takenPrompts(ledger).map((taken) => taken.turn_id)).toContain(body.turn_id);
  return body.turn_id;
};
const attach = async (agent: Pick<Agent, 'name'>) => {
  const { status, body } = await server.ask('POST', of(agent, '/gateway/attach'));
  expect({ status, detail: body.detail }).toMatchObject({ status: 200 });
  return body.gateway_port as number;
};
const gatewayPid = ({ paths }: Agent): number => JSON.parse(readFileSync(paths.currentInstance, 'utf8')).pid;

/** Nothing of it runs or is held, and what must stay is there. */
async function expectGone(agent: Agent, turnId: string | null, port: number | null = null): Promise<void> {
  expect((await server.ask('GET', of(agent, '/gateway'))).status).toBe(404);
  expect(await tmux.tmux.hasSession(agent.session)).toBe(false);
  if (turnId !== null) expect(processesOfTurn({ session: agent.id, turnId })).toEqual([]);
  if (port !== null) expect(await isServed(`http://127.0.0.1:${port}`)).toBe(false);
  for (const path of [agent.paths.lock, `${agent.paths.run}/owner.lock`]) {
    const lock = tryLock(path);
    expect(lock).not.toBeNull();
    lock?.release();
  }
  expect([agent.paths.manifest, agent.paths.queue].map(existsSync)).toEqual([true, true]);
}

test('an agent launched with skills has the one of the package in the home of its tool', async () => {
  const skill = join(folder, 'home', 'skills', 'houmao', 'SKILL.md');
  await launched('unskilled');
  expect(existsSync(skill)).toBe(false);
  await launched('skilled', '?skills=true');
  expect(readFileSync(skill)).toEqual(
    readFileSync(new URL('../../../skills/houmao/SKILL.md', import.meta.url)),
  );
  for (const name of ['unskilled', 'skilled'])
    expect((await server.ask('POST', of({ name }, '/stop'))).status).toBe(200);
  rmSync(skill);
});

test('a turn of the server is interrupted, and everything around it ends', async () => {
  const agent = await launched('alone');
  const turnId = await begin(agent, '[[slow=60000]] for long');
  const { status, body } = await server.ask('POST', of(agent, '/stop'));
  expect([status, body]).toEqual([
    200,
    {
      success: true,
      tracked_agent_id: agent.id,
      turn_id: turnId,
      detail: expect.stringContaining(`Its turn ${turnId} was interrupted.`),
    },
  ]);
  await expectGone(agent, turnId);
});

test('a turn that takes no notice of signals ends all the same', async () => {
  const agent = await launched('deaf');
  const turnId = await begin(agent, '[[slow=60000]] [[ignore-signals]] deaf');
  const { status, body } = await server.ask('POST', of(agent, '/stop'));
  expect([status, body.turn_id]).toEqual([200, turnId]);
  await expectGone(agent, turnId);
});

test('an agent that was prompted with and without a gateway is stopped with its gateway and its turn', async () => {
  const agent = await launched('both');
  const first = await begin(agent, 'without');
  await expect
    .poll(async () => (await server.ask('GET', of(agent, `/turns/${first}`))).body.status)
    .toBe('completed');
  const port = await attach(agent);
  const turnId = await begin(agent, '[[slow=60000]] with one');
  const { status, body } = await server.ask('POST', of(agent, '/stop'));
  expect([status, body.turn_id]).toEqual([200, turnId]);
  expect(body.detail).toContain('Its gateway was stopped.');
  await expectGone(agent, turnId, port);
});

test('a turn that a killed gateway left is ended by the server', async () => {
  const agent = await launched('orphan');
  const port = await attach(agent);
  const turnId = await begin(agent, '[[slow=60000]] left');
  process.kill(gatewayPid(agent), 'SIGKILL');
  const { status, body } = await server.ask('POST', of(agent, '/stop'));
  expect([status, body.turn_id]).toEqual([200, turnId]);
  await expectGone(agent, turnId, port);
});

test('a gateway that somebody halted is continued to be ended, and ends its turn', async () => {
  const agent = await launched('halted');
  const port = await attach(agent);
  const turnId = await begin(agent, '[[slow=60000]] halted');
  process.kill(gatewayPid(agent), 'SIGSTOP');
  const { status } = await server.ask('POST', of(agent, '/stop'));
  expect(status).toBe(200);
  await expectGone(agent, turnId, port);
});

test('an agent in a terminal is attached, detached and stopped', async () => {
  const request = checkLaunch(
    requestFor('term', folder, { tmux: true, terminal: true, homePath: `${folder}/home` }),
    host,
  );
  const paths = await createSession(request, host);
  await expect.poll(async () => (await server.ask('GET', of({ name: 'term' }, '/gateway'))).status).toBe(200);
  const port = await attach({ name: 'term' });
  expect(await isServed(`http://127.0.0.1:${port}`)).toBe(true);
  expect((await server.ask('POST', of({ name: 'term' }, '/gateway/detach'))).status).toBe(200);
  expect(await isServed(`http://127.0.0.1:${port}`)).toBe(false);
  const again = await attach({ name: 'term' });
  expect((await server.ask('POST', of({ name: 'term' }, '/stop'))).status).toBe(200);
  const session = JSON.parse(readFileSync(paths.manifest, 'utf8')).tmux_session_name;
  await expectGone({ name: 'term', id: session, session, paths }, null, again);
});
