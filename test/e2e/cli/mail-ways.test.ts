// Which way a command takes to an agent's mailbox, and what both have in common.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publishCurrentInstance } from '../../../src/session/current-instance.js';
import { startGateway } from '../../support/gateway-process.js';
import { refuseRows } from '../../support/mail/refuse-rows.js';
import { addressOf, mailStage } from './mail-stage.js';

const stage = mailStage();
const pathTo = async (name: string): Promise<string> =>
  (await stage.json(['agents', 'mail', 'status', name])).execution_path;

test('both ways show one mailbox alike', async () => {
  const ref = await stage.send('alice', 'bob', 'alike', '--notify-block', 'see');
  await stage.send('alice', 'bob', 'alike, too', '--cc', 'alice@houmao.localhost');
  const all = () => stage.json(['agents', 'mail', 'list', 'bob', '--include-body']);
  const one = () => stage.json(['agents', 'mail', 'peek', 'bob', '--message-ref', ref]);
  const direct = [await all(), await one()];
  const gateway = await startGateway(stage.bob);
  const through = [await all(), await one()];
  await gateway.stop();
  expect(through.map(({ execution_path: path }) => path)).toEqual(['gateway_backed', 'gateway_backed']);
  expect(direct).toEqual(through.map((answer) => ({ ...answer, execution_path: 'manager_direct' })));
});

test('a gateway that serves no mail, because it listens on more than 127.0.0.1, is passed by', async () => {
  const gateway = await startGateway(stage.bob, { host: '0.0.0.0' });
  expect(await pathTo('bob')).toBe('manager_direct');
  expect(await stage.json(['agents', 'mail', 'resolve-live', 'bob'])).toMatchObject({
    gateway: null,
    gateway_available: false,
  });
  await gateway.stop();
});

test('a gateway that was killed is passed by', async () => {
  const gateway = await startGateway(stage.bob);
  expect(await pathTo('bob')).toBe('gateway_backed');
  await gateway.kill();
  expect(await pathTo('bob')).toBe('manager_direct');
});

test('messages that are sent both ways at once all arrive', async () => {
  const subjects = Array.from({ length: 6 }, (_, index) => `at once ${index}`);
  await Promise.all(
    subjects.map((subject, index) => stage.send(index % 2 === 0 ? 'alice' : 'bob', 'alice', subject)),
  );
  const { messages } = await stage.json(['agents', 'mail', 'list', 'alice']);
  const arrived = messages.map(({ subject }: { subject: string }) => subject);
  expect(arrived.filter((one: string) => one.startsWith('at once')).sort()).toEqual(subjects);
});

/** Answers to `/health` as a gateway does, and hangs up on everything else. */
const hangingUp = `
const server = require('node:http').createServer((request, response) => {
  if (request.url !== '/health') return request.socket.destroy();
  response.setHeader('content-type', 'application/json');
  response.end('{"protocol_version":"v1","status":"ok"}');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;

test('an answer that was lost is no refusal: exit 3, and nothing is sent the other way as well', async () => {
  const { paths } = stage.bob;
  const child = spawn(process.execPath, ['-e', hangingUp, '--', '--gateway-root', paths.root]);
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  mkdirSync(paths.run, { recursive: true });
  publishCurrentInstance(paths, {
    schema_version: 1,
    protocol_version: 'v1',
    pid: child.pid!,
    host: '127.0.0.1',
    port: Number(port),
    execution_mode: 'detached_process',
    managed_agent_instance_epoch: 1,
    managed_agent_instance_id: null,
  });
  const send = ['--to', 'alice@houmao.localhost', '--subject', 'lost', '--body-content', 'x'];
  const ran = await stage.run(['agents', 'mail', 'send', 'bob', ...send]);
  const ended = once(child, 'exit');
  child.kill();
  await ended;
  expect(ran).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(/^houmao-mgr: It is not known /),
  });
  const { messages } = await stage.json(['agents', 'mail', 'list', 'bob', '--box', 'sent']);
  expect(messages.map(({ subject }: { subject: string }) => subject)).not.toContain('lost');
});

test('what is done all the same is no refusal: exit 4, with the message, both ways', async () => {
  const delivered = { alice: 'gateway_backed', bob: 'manager_direct' };
  for (const [from, way] of Object.entries(delivered)) {
    expect(await pathTo(from)).toBe(way);
    const subject = `late from ${from}`;
    refuseRows(join(stage.root, 'mailboxes'), from, subject);
    const to = from === 'alice' ? 'bob' : 'alice';
    const mail = ['--to', addressOf(to), '--subject', subject, '--body-content', 'x'];
    const ran = await stage.run(['agents', 'mail', 'send', from, ...mail]);
    expect(ran).toMatchObject({ code: 4, stdout: '' });
    const { messages } = await stage.json(['agents', 'mail', 'list', to]);
    const { message_ref: ref } = messages.find((one: { subject: string }) => one.subject === subject);
    expect(ran.stderr).toContain(`It is done (${ref}), so do not do it again: `);
  }
});
