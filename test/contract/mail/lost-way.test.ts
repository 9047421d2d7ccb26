import { createGatewayClient } from '@houmao/sdk';
import { describe, expect, test } from 'vitest';
import { cyrusNeed, hasCyrus } from '../../support/jmap/cyrus-server.js';
import { lossyWay } from '../../support/jmap/lossy-way.js';
import { caught } from '../../unit/sdk/caught.js';
import { serverAgent } from './server-agent.js';

describe('the way to a mail server', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, () => {
  const it = serverAgent('alice');

  test('on which a message was lost: nobody knows, says the answer, and the same key sends it once', async () => {
    const { agent: alice, address } = it;
    const way = await lossyWay(it.server.jmapUrl);
    it.bind({ jmapUrl: way.jmapUrl });
    expect((await alice.mail('status')).status).toBe(200);
    const client = createGatewayClient({ baseUrl: alice.gateway.url });
    const body = { to: [address], subject: 'lost on the way', body_content: '' };
    way.lose('request', 'EmailSubmission/set');
    const key = { 'Idempotency-Key': 'lost-1' };
    const lost = await alice.mail('send', body, key);
    expect([
      lost.status,
      lost.headers.get('x-houmao-done'),
      lost.headers.get('x-houmao-message-ref'),
    ]).toEqual([...[502, 'unknown', null]]);
    expect((await alice.mail('send', body, key)).status).toBe(200);
    way.lose('request', 'EmailSubmission/set');
    const error = await caught(client.sendMail({ body }));
    expect(error).toMatchObject({
      status: 502,
      done: false,
      outcomeUnknown: true,
      idempotencyKey: expect.stringMatching(/./),
    });
    expect(error.detail).toContain(error.idempotencyKey);
    const again = await client.sendMail({ body, headers: { 'Idempotency-Key': error.idempotencyKey! } });
    const sent = (await alice.mail('list', { box: 'sent' })).body.messages;
    expect(sent.map(({ message_ref }: { message_ref: string }) => message_ref)).toContain(
      again.message.message_ref,
    );
    expect(sent).toHaveLength(2);
  });
});
