import { createGatewayClient } from '@houmao/sdk';
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
import { expect, test } from 'vitest';
import { withGroups } from '../../../../sdk/src/core/groups.js';
import { answerJson, serve } from '../local-server.js';

const baseUrl = 'http://127.0.0.1:1';
const gateway = createGatewayClient({ baseUrl });
const server = createHoumaoClient({ baseUrl });
const alpha = server.agent('alpha');

test('a short name is the operation without the part of its group, and without get where something is left', () => {
  const ids = ['getBook', 'listBooks', 'lendBook', 'getBookCover', 'getShelf', 'getGatewayBook'];
  const named = withGroups({ books: /Books?/ }, Object.fromEntries(ids.map((id) => [id, id])));
  expect(named).toMatchObject({ getBook: 'getBook' });
  expect((named as unknown as { books: object }).books).toEqual({
    get: 'getBook',
    list: 'listBooks',
    lend: 'lendBook',
    cover: 'getBookCover',
  });
});

test('short names are the very same functions', () => {
  expect(gateway.mail.send).toBe(gateway.sendMail);
  expect(gateway.terminal.notePrompt).toBe(gateway.notePrompt);
  expect(gateway.terminal.sendKeys).toBe(gateway.sendKeys);
  expect(gateway.mailNotifier.disable).toBe(gateway.disableMailNotifier);
  expect(server.mail.resolve).toBe(server.resolveAgentMailbox);
  expect(server.turns.stream).toBe(server.streamTurn);
  expect(server.agents.get).toBe(server.getAgent);
  expect(alpha.mail.send).toBe(alpha.sendAgentMail);
  expect(alpha.gateway.reminders.create).toBe(alpha.gateway.createReminders);
});

test('a client has the groups of its operations, and no other', () => {
  const groupsOf = (client: object) =>
    Object.entries(client)
      .filter(([name, value]) => typeof value === 'object' && name !== 'gateway')
      .map(([name]) => name)
      .toSorted();
  const ofGateway = ['mailNotifier', 'queue', 'reminders', 'terminal', 'turns'];
  expect(groupsOf(gateway)).toEqual(['mail', ...ofGateway]);
  expect(groupsOf(alpha.gateway)).toEqual(ofGateway);
  expect(groupsOf(server)).toEqual(['agents', 'fleet', 'mail', 'notifications', 'turns']);
  expect(groupsOf(alpha)).toEqual(['mail', 'turns']);
});

test('no group hides a method that was there before', () => {
  expect(gateway.requests).toBeTypeOf('function');
  expect(gateway.control).toBeTypeOf('function');
  expect(server.events).toBeTypeOf('function');
  expect(alpha.gateway.attach).toBeTypeOf('function');
});

test('a short name calls the operation', async () => {
  const answering = await serve((_received, res) => answerJson(res, 200, { reported: true }));
  const called = createHoumaoClient({ baseUrl: answering.url });
  await createGatewayClient({ baseUrl: answering.url }).mail.read({ body: { message_ref: 'm' } });
  await called.notifications.list();
  await called.agent('a').mail.status();
  await called.agent('a').gateway.reminders.delete({ path: { reminder_id: 'r' } });
  expect(answering.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /v1/mail/read',
    'GET /houmao/notifications',
    'GET /houmao/agents/a/mail/status',
    'DELETE /houmao/agents/a/gateway/reminders/r',
  ]);
});
