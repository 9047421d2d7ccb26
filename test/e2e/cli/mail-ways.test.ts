// Which way a command takes to an agent's mailbox, and what both have in common.
import { expect, test } from 'vitest';
import { startGateway } from '../../support/gateway-process.js';
import { mailStage } from './mail-stage.js';

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
    ...{ gateway: null, gateway_available: false },
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
