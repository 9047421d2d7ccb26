// A message that is sent to a mail server is there once, whatever is lost on the way.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/foundation/clock.js';
import { fixedStamps, freshStamp } from '../../../../src/mail/facade/mail-facade.js';
import { JmapTransport } from '../../../../src/mail/jmap/jmap-transport.js';
import type { MessageStamp } from '../../../../src/mail/transport/mail-transport.js';
import { addressAt, credentialOf } from '../../../support/jmap/accounts.js';
import { type CyrusServer, cyrusNeed, hasCyrus, startCyrus } from '../../../support/jmap/cyrus-server.js';
import { lossyWay } from '../../../support/jmap/lossy-way.js';
import { otherClient } from '../../../support/jmap/other-client.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

describe('a message to a mail server', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, () => {
  let server: CyrusServer;
  beforeAll(async () => {
    server = await startCyrus({ [addressAt('alice')]: 'alice-pw', [addressAt('bob')]: 'bob-pw' });
  });
  afterAll(() => server.stop());

  const open = (name: string, jmapUrl = server.jmapUrl): JmapTransport => {
    const owner = { address: addressAt(name), principalId: `HOUMAO-${name}` };
    const credential = () => credentialOf(addressAt(name), `${name}-pw`);
    const transport = new JmapTransport({ jmapUrl, credential, owner, clock: systemClock });
    onTestFinished(() => transport.close());
    return transport;
  };
  const mail = (subject: string, attachments: { path: string; label: string | null }[] = []) => ({
    body: `of ${subject}`,
    attachments,
    notifyBlock: null,
    notifyAuth: null,
    to: [addressAt('bob')],
    cc: [],
    subject,
  });
  const inBox = async (transport: JmapTransport, box: string, subject: string): Promise<number> => {
    const query = { box, read: null, answered: null, archived: null, limit: null, since: null };
    return (await transport.headings(query)).filter((heading) => heading.subject === subject).length;
  };
  /** Once with Bob and once among the sent ones, and nothing is left to send; mail sent later has come by then. */
  const isThereOnce = async (subject: string): Promise<void> => {
    const [alice, bob] = [open('alice'), open('bob')];
    const later = `behind ${subject} ${crypto.randomUUID()}`;
    await alice.send(mail(later), fixedStamps(freshStamp(new Date())));
    await expect.poll(() => inBox(bob, 'inbox', later)).toBe(1);
    const counts = [
      inBox(bob, 'inbox', subject),
      inBox(alice, 'sent', subject),
      inBox(alice, 'drafts', subject),
    ];
    expect(await Promise.all(counts)).toEqual([1, 1, 0]);
  };

  test('whose answer was lost is found, and reported as sent', async () => {
    const way = await lossyWay(server.jmapUrl);
    const alice = open('alice', way.jmapUrl);
    await alice.check();
    const stamp = freshStamp(new Date());
    way.lose('answer', 'EmailSubmission/set');
    const sent = await alice.send(mail('lost answer'), fixedStamps(stamp));
    expect(sent).toMatchObject({ replayed: false, message: { box: 'sent', subject: 'lost answer' } });
    const again = await alice.send(mail('lost answer'), fixedStamps({ ...stamp, again: true }));
    expect(again).toMatchObject({ replayed: true, message: { ref: sent.message.ref } });
    await isThereOnce('lost answer');
  });

  test('that was lost itself may be sent, says so, and is by the next call with its stamp', async () => {
    const way = await lossyWay(server.jmapUrl);
    const alice = open('alice', way.jmapUrl);
    await alice.check();
    const stamp = freshStamp(new Date());
    way.lose('request', 'EmailSubmission/set');
    await expect(alice.send(mail('lost call'), fixedStamps(stamp))).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringMatching(/^whether it is done is not known: /),
    });
    const again = await alice.send(mail('lost call'), fixedStamps({ ...stamp, again: true }));
    expect(again.replayed).toBe(false);
    await isThereOnce('lost call');
  });

  const longAgo = (): Date => new Date(Date.now() - 121_000);
  /** As if the server had ended between the two halves of a sending: the first is there. */
  async function leftDraft(
    subject: string,
    stamp: MessageStamp,
    role: string,
    receivedAt: Date,
  ): Promise<void> {
    const elsewhere = await otherClient(server, addressAt('alice'), 'alice-pw');
    const [boxes] = await elsewhere.call([['Mailbox/get', { ids: null }]]);
    const box = (boxes as unknown as { list: { id: string; role: string }[] }).list.find(
      (one) => one.role === role,
    )!;
    const people = { from: [{ email: addressAt('alice') }], to: [{ email: addressAt('bob') }] };
    const value = `of ${subject}`;
    const draft = {
      ...people,
      textBody: [{ partId: 't', type: 'text/plain' }],
      bodyValues: { t: { value } },
      subject,
      messageId: [`${stamp.messageId}@example.test`],
      mailboxIds: { [box.id]: true },
      keywords: { $draft: true },
      receivedAt: `${receivedAt.toISOString().slice(0, 19)}Z`,
    };
    await elsewhere.call([['Email/set', { create: { draft } }]]);
  }
  const unknown = { code: 'outcome_unknown', message: expect.stringMatching(/may be sending it/) };

  test('that stopped as a draft is submitted by the next call with its stamp, and not while it may be on its way', async () => {
    const alice = open('alice');
    const stamp = { ...freshStamp(longAgo()), again: true };
    await leftDraft('half', stamp, 'drafts', longAgo());
    const young = fixedStamps({ ...stamp, at: Date.now() });
    await expect(alice.send(mail('half'), young)).rejects.toMatchObject(unknown);
    const again = await alice.send(mail('half'), fixedStamps(stamp));
    expect(again.replayed).toBe(false);
    await isThereOnce('half');
  });

  test('whose files took long may be on its way still, however old its stamp is', async () => {
    const stamp = { ...freshStamp(longAgo()), again: true };
    await leftDraft('with files', stamp, 'drafts', new Date());
    await expect(open('alice').send(mail('with files'), fixedStamps(stamp))).rejects.toMatchObject(unknown);
  });

  test('whose draft somebody threw away is sent again', async () => {
    const stamp = { ...freshStamp(new Date()), again: true };
    await leftDraft('thrown away', stamp, 'trash', new Date());
    const again = await open('alice').send(mail('thrown away'), fixedStamps(stamp));
    expect(again.replayed).toBe(false);
    await isThereOnce('thrown away');
  });

  test('is known wherever it was put since', async () => {
    const alice = open('alice');
    const stamp = freshStamp(new Date());
    const { message } = await alice.send(mail('put away'), fixedStamps(stamp));
    await alice.move([message.ref], 'archive');
    const again = await alice.send(mail('put away'), fixedStamps({ ...stamp, again: true }));
    expect(again).toMatchObject({ replayed: true, message: { ref: message.ref, box: 'archive' } });
    await alice.move([message.ref], 'sent');
    await isThereOnce('put away');
  });

  test('that two calls send at once is one', async () => {
    const alice = open('alice');
    const stamp = freshStamp(new Date());
    const both = await Promise.all([
      alice.send(mail('both'), fixedStamps(stamp)),
      alice.send(mail('both'), fixedStamps({ ...stamp, again: true })),
    ]);
    expect(new Set(both.map(({ message }) => message.ref)).size).toBe(1);
    await isThereOnce('both');
  });

  test('whose stamp another program had chosen before is that one’s', async () => {
    const alice = open('alice');
    const stamp = freshStamp(new Date());
    const { message } = await alice.send(mail('chosen'), fixedStamps(stamp));
    const stamps = {
      chosen: async () => freshStamp(new Date()),
      keep: async () => ({ ...stamp, again: true }),
    };
    const second = await open('alice').send(mail('chosen'), stamps);
    expect(second).toMatchObject({ replayed: true, message: { ref: message.ref } });
    await isThereOnce('chosen');
  });

  test('has copies of its files, whose names say nothing of where they were', async () => {
    const path = join(temporaryFolder(), 'Bericht ä "1".md');
    const content = Buffer.from(`# Bericht\n${'ü\0'.repeat(100_000)}`);
    writeFileSync(path, content);
    const [alice, bob] = [open('alice'), open('bob')];
    const files = [
      { path, label: null },
      { path, label: 'again.txt' },
    ];
    const { message } = await alice.send(mail('files', files), fixedStamps(freshStamp(new Date())));
    expect(message.attachments).toHaveLength(2);
    await expect.poll(() => inBox(bob, 'inbox', 'files')).toBe(1);
    const query = { box: 'inbox', read: null, answered: null, archived: null, limit: null, since: null };
    const got = (await bob.list(query)).messages.find(({ subject }) => subject === 'files')!;
    expect(got.attachments).toMatchObject([
      {
        kind: 'transport_owned',
        label: 'Bericht ä "1".md',
        mediaType: 'text/markdown',
        sizeBytes: content.length,
      },
      { label: 'again.txt', locator: expect.stringMatching(/^blob:/) },
    ]);
    expect(JSON.stringify(got)).not.toContain(dirname(path));
  });
});
