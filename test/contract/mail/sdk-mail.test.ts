import { createGatewayClient } from '@houmao/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { caught } from '../../unit/sdk/caught.js';
import { answerJson, listen } from '../../unit/sdk/local-server.js';
import { twoMailAgents } from './two-agents.js';

const agents = twoMailAgents();

/** A client whose first answers are lost on the way. */
async function losing(losses: number) {
  let left = losses;
  const relay = await listen(async ({ method, url, headers, body }, res) => {
    const key = headers['idempotency-key'];
    const forwarded = { 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': String(key) }) };
    const answer = await fetch(agents.alice.gateway.url + url, { method, body, headers: forwarded });
    left -= 1;
    if (left >= 0) return void res.destroy();
    answerJson(res, answer.status, await answer.json());
  });
  onTestFinished(() => relay.close());
  return { relay, client: createGatewayClient({ baseUrl: relay.url }) };
}
const inBobsBox = async (subject: string): Promise<number> => {
  const { body } = await agents.bob.mail('list', {});
  return body.messages.filter((one: { subject: string }) => one.subject === subject).length;
};

test('a message, a note and a reply whose answers are lost are delivered once', async () => {
  const { client, relay } = await losing(2);
  const { message } = await client.sendMail({
    body: { to: [agents.bob.address], subject: 'lost twice', body_content: '' },
  });
  expect(await inBobsBox('lost twice')).toBe(1);
  expect(message).toMatchObject({ box: 'sent', subject: 'lost twice' });
  expect(new Set(relay.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  const again = await losing(1);
  const note = await again.client.postMail({ body: { subject: 'lost once', body_content: '' } });
  const notes = await client.listMail({ body: {} });
  expect(notes.messages.filter(({ subject }) => subject === 'lost once')).toHaveLength(1);
  const third = await losing(1);
  const body = { message_ref: note.message.message_ref, body_content: 'yes' };
  const reply = await third.client.replyMail({ body });
  const sent = await client.listMail({ body: { box: 'sent' } });
  expect(sent.messages.filter(({ subject }) => subject === reply.message.subject)).toHaveLength(1);
});

test('a message whose answer never comes is not known to be delivered, and carries the key to ask again', async () => {
  const { client } = await losing(9);
  const body = { to: [agents.bob.address], subject: 'lost for good', body_content: '' };
  const error = await caught(client.sendMail({ body }));
  expect(error).toMatchObject({
    errorCode: 'connection_failed',
    operationId: 'sendMail',
    sent: true,
    idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  const direct = createGatewayClient({ baseUrl: agents.alice.gateway.url });
  await direct.sendMail({ body, headers: { 'Idempotency-Key': error.idempotencyKey! } });
  expect(await inBobsBox('lost for good')).toBe(1);
});

test('a refusal of the mailbox is final: nothing was delivered', async () => {
  const client = createGatewayClient({ baseUrl: agents.alice.gateway.url });
  const body = { to: ['nobody@houmao.localhost'], subject: 's', body_content: '' };
  expect(await caught(client.sendMail({ body }))).toMatchObject({ status: 502, idempotencyKey: null });
});
