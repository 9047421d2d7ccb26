import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../src/foundation/clock.js';
import { JmapTransport } from '../../../../../src/mail/jmap/jmap-transport.js';
import { type MailRefs, mailRefs } from '../../../../../src/mail/jmap/mail/email-ref.js';
import { addressAt, credentialOf } from '../../../../support/jmap/accounts.js';
import { type CyrusServer, cyrusNeed, hasCyrus, startCyrus } from '../../../../support/jmap/cyrus-server.js';
import { type OtherClient, otherClient } from '../../../../support/jmap/other-client.js';

describe('a mailbox that people sort', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, () => {
  const address = addressAt('bob');
  let server: CyrusServer;
  let bob: JmapTransport;
  let elsewhere: OtherClient;
  let refs: MailRefs;
  beforeAll(async () => {
    server = await startCyrus({ [address]: 'bob-pw' });
    bob = new JmapTransport({
      jmapUrl: server.jmapUrl,
      credential: () => credentialOf(address, 'bob-pw'),
      clock: systemClock,
      owner: { address, principalId: 'HOUMAO-bob' },
    });
    refs = mailRefs({ jmapUrl: server.jmapUrl, address });
    elsewhere = await otherClient(server, address, 'bob-pw');
  });
  afterAll(async () => {
    bob.close();
    await server.stop();
  });
  const bringIn = (subject: string): Promise<string> =>
    elsewhere.bringIn(`From: ${address}\r\nSubject: ${subject}\r\n\r\ntext\r\n`, new Date());
  /** @returns its id. */
  async function made(name: string, parentId: string | null): Promise<string> {
    const [answer] = await elsewhere.call([['Mailbox/set', { create: { made: { name, parentId } } }]]);
    return (answer as unknown as { created: { made: { id: string } } }).created.made.id;
  }

  test('a message in several boxes is found in each of them', async () => {
    const id = await bringIn('labelled');
    const label = await made('Label', null);
    await elsewhere.call([['Email/set', { update: { [id]: { [`mailboxIds/${label}`]: true } } }]]);
    const ref = refs.message(id);
    for (const box of ['inbox', 'Label', ' Label '])
      expect((await bob.peek(ref, box)).box, box).toBe('inbox');
    await expect(bob.peek(ref, 'archive')).rejects.toMatchObject({ code: 'box_differs' });
  });

  test('a box within another is moved to by its path, and none is made so', async () => {
    const ref = refs.message(await bringIn('sorted'));
    await made('2026', await made('Projects', null));
    expect(await bob.move([ref], 'Projects/2026')).toMatchObject([{ ref, box: 'Projects/2026' }]);
    expect(await bob.peek(ref, 'Projects/2026')).toMatchObject({ box: 'Projects/2026' });
    await expect(bob.move([ref], 'Projects/2027')).rejects.toMatchObject({ code: 'box_unusable' });
    expect((await bob.peek(ref, null)).box).toBe('Projects/2026');
  });
});
