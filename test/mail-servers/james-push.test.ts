import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/foundation/clock.js';
import { PushStream } from '../../src/mail/jmap/account-watch.js';
import { JmapClient } from '../../src/mail/jmap/client/jmap-client.js';
import { addressAt, credentialOf } from '../support/jmap/accounts.js';
import { startJames } from '../support/jmap/james/james-server.js';
import { otherClient } from '../support/jmap/other-client.js';

test('James tells of a message that comes, by itself', async () => {
  const address = addressAt('bob');
  const server = await startJames(process.env.HOUMAO_JAMES_JARS!, { [address]: 'bob-pw' });
  onTestFinished(() => server.stop());
  const credential = () => credentialOf(address, 'bob-pw');
  const client = new JmapClient({ jmapUrl: server.jmapUrl, credential, clock: systemClock });
  // It never asks for changes: what wakes it is what the server says.
  const push = new PushStream(client, systemClock);
  onTestFinished(() => push.close());
  const elsewhere = await otherClient(server, address, 'bob-pw');
  push.want();
  await expect.poll(() => push.isLive).toBe(true);
  for (const subject of ['first', 'second']) {
    const reported = once(push.changes, 'changed');
    await elsewhere.bringIn(`From: ann@world.test\r\nSubject: ${subject}\r\n\r\nHello.\r\n`, new Date());
    await reported;
    expect(push.isLive).toBe(true);
  }
});
