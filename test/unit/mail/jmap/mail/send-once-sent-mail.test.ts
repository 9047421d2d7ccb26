import { expect, test } from 'vitest';
import { systemClock } from '../../../../../src/foundation/clock.js';
import { JmapClient } from '../../../../../src/mail/jmap/client/jmap-client.js';
import { AccountBoxes } from '../../../../../src/mail/jmap/mail/account-boxes.js';
import { SentMail } from '../../../../../src/mail/jmap/mail/send-once.js';
import { credentialOf } from '../../../../support/jmap/accounts.js';
import { email, mailMethods } from '../../../../support/jmap/scripted-mail.js';
import { scriptedServer } from '../../../../support/jmap/scripted-server.js';

test.each([1, 2, 100])('a message that was begun is found where a server lists %i at a time', async (cap) => {
  const all = ['M1', 'M2', 'M3', 'M4', 'M5'];
  const server = await scriptedServer();
  server.api = mailMethods({
    'Email/query': ({ position, limit }: { position: number; limit: number }) => ({
      ids: all.slice(position, position + Math.min(limit, cap)),
      // A server that gives fewer than it was asked for says so.
      ...(cap < limit && { limit: cap }),
    }),
    'Email/get': ({ ids }: { ids: string[] }) => ({
      list: ids.map((id) => email(id, { messageId: [`${id}@x`], mailboxIds: { sent: true } })),
    }),
  });
  const credential = () => credentialOf('alice', 'sesame');
  const client = new JmapClient({ jmapUrl: `${server.url}/jmap`, credential, clock: systemClock });
  const sent = new SentMail(client, new AccountBoxes(client));
  const at = Date.UTC(2026, 2, 19, 8);
  expect(await sent.find('M5@x', at)).toEqual({ id: 'M5', submitted: true, madeAt: at });
  expect(await sent.find('M6@x', at)).toBeNull();
});
