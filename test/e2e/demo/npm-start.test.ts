import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serversHere, servingServers } from '../../../src/cli/commands/server/see-servers.js';
import { findAgent, listAgents } from '../../../src/launch/agent-directory.js';
import { createSession } from '../../../src/launch/create-session.js';
import { attachGateway } from '../../../src/launch/gateway-attachment.js';
import { currentInstanceFile } from '../../../src/session/current-instance.js';
import { readManifest } from '../../../src/session/manifest.js';
import { call, isServed } from '../../support/http.js';
import { hostIn } from '../../support/launch-host.js';
import { standinProgram } from '../../support/test-session.js';
import { newHome, runDemo, startDemo } from './demo-under-test.js';

/** Has the port taken, by this process or whatever has it already. */
async function take(port: number): Promise<void> {
  const holder = createServer().listen(port, '127.0.0.1');
  await Promise.race([once(holder, 'listening'), once(holder, 'error')]).catch(() => undefined);
  onTestFinished(() => void holder.close());
}
const queued = { kind: 'submit_prompt', payload: { prompt: 'Hello' } };

test('the reviewer answers mail by itself; the end of the demo ends the server and both gateways', async () => {
  const { server, url, reviewer, said, stop } = await startDemo(newHome());
  expect(said).toContain('Ctrl-C stops them.');
  const question = { to: ['reviewer@houmao.localhost'], subject: 'A question', body_content: '' };
  expect((await call(url, 'POST', '/v1/mail/send', question)).status).toBe(200);
  const subjects = async () =>
    (await call(url, 'POST', '/v1/mail/list', {})).body.messages.map(
      (message: { subject: string }) => message.subject,
    );
  await expect.poll(subjects).toEqual(['Re: A question', 'Gateway unread reminder']);
  expect(await Promise.all([server, url, reviewer].map(isServed))).toEqual([true, true, true]);
  const { agents } = (await call(server, 'GET', '/houmao/agents')).body;
  expect(agents.map((agent: { agent_name: string }) => agent.agent_name)).toEqual([
    'HOUMAO-demo',
    'HOUMAO-reviewer',
  ]);
  expect(await stop()).toBe(0);
  expect(await Promise.all([server, url, reviewer].map(isServed))).toEqual([false, false, false]);
});

test('agents that somebody stopped are left alone at the end, and the next start does not continue with them', async () => {
  const { server, stop, output } = await startDemo(newHome());
  for (const name of ['demo', 'reviewer'])
    expect((await call(server, 'POST', `/houmao/agents/${name}/stop`)).status).toBe(200);
  expect(await stop()).toBe(0);
  expect(output()).toMatch(/\nStopped\.\n$/);
});

test('server and gateways that ran before are used, and go on when it ends', async () => {
  const home = newHome();
  const first = await startDemo(home);
  // houmao-mgr finds it like any other.
  expect(await servingServers(hostIn(home))).toEqual([first.server]);
  const second = await startDemo(home);
  expect(second).toMatchObject({
    server: first.server,
    url: first.url,
    reviewer: first.reviewer,
  });
  expect(second.said).toContain('demo, reviewer, the server ran before and will go on.');
  expect(await second.stop()).toBe(0);
  // Nothing is called stopped that goes on.
  expect(second.output()).toContain('Left; demo, reviewer, the server go on.');
  expect(second.output()).not.toMatch(/Stopping|Stopped/);
  expect(await Promise.all([first.server, first.url].map(isServed))).toEqual([true, true]);
  expect(await first.stop()).toBe(0);
  expect(first.output()).toMatch(/Stopping\nStopped\. [^\n]*"demo"\.\n$/);
});

test('where other programs have the ports that README names, it says at which address each is instead', async () => {
  await Promise.all([9889, 43123].map(take));
  const { server, url, said, stop } = await startDemo(newHome(), 'usual');
  for (const [port, address] of [
    [9889, server],
    [43123, url],
  ]) {
    expect(address).not.toBe(`http://127.0.0.1:${port}`);
    expect(said).toMatch(
      new RegExp(`has port ${port}\\. .* at ${address}: .* http://127.0.0.1:${port}\\.\n`),
    );
  }
  expect(await call(server, 'POST', '/houmao/agents/demo/gateway/requests', queued)).toMatchObject({
    status: 200,
  });
  expect(await stop()).toBe(0);
});

test('an agent of an older start, which has no mailbox, is replaced; its files stay', async () => {
  const home = newHome();
  const host = hostIn(home);
  mkdirSync(join(home, 'workspace'));
  const old = await createSession(
    {
      tool: 'claude',
      name: 'demo',
      role: null,
      roleName: 'default',
      model: null,
      reasoningLevel: null,
      workingDirectory: join(home, 'workspace'),
      homePath: join(home, 'standin'),
      executable: standinProgram,
      environment: { PATH: process.env.PATH ?? '', HOME: home },
      toolArguments: [],
      unattended: false,
      tmux: false,
      terminal: false,
      hooks: false,
      skills: false,
      mailbox: null,
      turnTimeLimitSeconds: null,
      startup: { kind: 'none' },
    },
    host,
  );
  const requested = {
    host: '127.0.0.1',
    mode: 'detached_process',
    diagnosticLog: null,
    keeping: {},
    flags: [],
  } as const;
  const before = await attachGateway(old, { ...requested, port: 0 }, host);
  const { url, said, stop } = await startDemo(home);
  expect(said).toContain(`Its files stay in ${old.root}.`);
  expect(existsSync(old.queue)).toBe(true);
  expect(await isServed(before.url)).toBe(false);
  expect((await call(url, 'GET', '/v1/mail/status')).body.address).toBe('demo@houmao.localhost');
  expect(await stop()).toBe(0);
});

test('a start that fails half way says why in one line, and leaves no gateway behind', async () => {
  const home = newHome();
  const first = await startDemo(home);
  expect(await first.stop()).toBe(0);
  const foreign = join(home, 'mailbox/mailboxes/notes.txt');
  writeFileSync(foreign, '');
  const second = runDemo(home);
  expect(await second.ended).toBe(1);
  expect(second.output()).toMatch(/^npm start: .*\/notes\.txt: is not a mailbox; [^\n]*\n$/);
  const { agents } = listAgents(hostIn(home));
  expect(agents.map(({ record }) => record.gateway ?? null)).toEqual([null]);
});

test('a program of it that ends from outside is named; when none is left, it ends', async () => {
  const home = newHome();
  const demo = runDemo(home);
  const said = await demo.saying(/Ctrl-C stops .*\n/);
  expect(said).not.toContain('has ended');
  const host = hostIn(home, { TMUX_TMPDIR: home });
  const pathsOf = (name: string) => findAgent(name, host).paths;
  const gatewayOf = (name: string) => currentInstanceFile.read(pathsOf(name).currentInstance)!.pid;
  process.kill(gatewayOf('demo'), 'SIGKILL');
  await demo.saying(/The gateway of "demo" has ended: see .*gateway\.log\. /);
  await host.tmux.killSession(readManifest(pathsOf('reviewer').manifest).tmux_session_name!);
  await demo.saying(/The terminal of "reviewer" has ended/);
  process.kill(gatewayOf('reviewer'), 'SIGTERM');
  await demo.saying(/The gateway of "reviewer" has ended/);
  const [served] = await serversHere(host);
  process.kill(served!.sight.instance.pid, 'SIGTERM');
  await demo.saying(/The server has ended: its last output is above\. /);
  expect(await demo.ended).toBe(1);
});

test.each([
  ['--help', 0, 'HOUMAO_DEMO_HOME'],
  ['--no-such-flag', 2, "unknown option '--no-such-flag'"],
  ['agents', 2, 'too many arguments'],
])('with %s it starts nothing', async (argument, code, words) => {
  const home = newHome();
  const demo = runDemo(home, argument);
  expect(await demo.ended).toBe(code);
  expect(demo.output()).toContain(words);
  expect(readdirSync(home)).toEqual([]);
});
