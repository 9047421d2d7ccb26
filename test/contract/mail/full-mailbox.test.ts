// A mailbox that has no room left on its server.
import { describe, expect, test } from 'vitest';
import { cyrusNeed, hasCyrus } from '../../support/jmap/cyrus-server.js';
import { serverAgent } from './server-agent.js';

describe('on a mail server', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, () => {
  const it = serverAgent('alice');

  test('a sender without room learns so, and nothing is sent; with room it is', async () => {
    const { agent: alice, server, address } = it;
    await server.setQuota(address, 10);
    const mail = { to: [address], subject: 'large', body_content: 'x'.repeat(20_000) };
    const key = { 'Idempotency-Key': 'large' };
    const full = await alice.mail('send', mail, key);
    expect(full).toMatchObject({
      status: 502,
      body: {
        detail: expect.stringMatching(/to take the message: overQuota \(/),
      },
    });
    expect(full.headers.get('x-houmao-done')).toBeNull();
    for (const box of ['drafts', 'sent']) {
      const { messages } = (await alice.mail('list', { box })).body;
      expect(messages.map(({ subject }: { subject: string }) => subject)).not.toContain('large');
    }
    const note = { subject: 'large', body_content: 'x'.repeat(20_000), reply_policy: 'none' };
    expect((await alice.mail('post', note)).body.detail).toMatch(/: overQuota \(/);
    await server.setQuota(address, 1000);
    const sent = await alice.mail('send', mail, key);
    expect([sent.status, sent.headers.get('idempotency-replayed')]).toEqual([200, null]);
  });

  test('a full one of a recipient is the server’s to tell of: it took the message', async () => {
    const { agent: alice, server, address } = it;
    const bob = 'bob@example.test';
    await server.addUser(bob, 'bob-pw');
    await server.setQuota(bob, 1);
    const mail = { to: [bob], subject: 'for the full', body_content: 'x'.repeat(5000) };
    expect((await alice.mail('send', mail)).status).toBe(200);
    const raw = `From: ${address}\nTo: ${bob}\nSubject: x\n\n${'x'.repeat(5000)}\n`;
    expect(await server.deliver(address, [bob], raw)).toMatchObject({
      [bob]: expect.stringMatching(/^452 .*Over quota/),
    });
  });
});
