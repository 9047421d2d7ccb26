// A server that takes a message for some of its recipients, and for others later: as Stalwart does after 25 mails in an hour.
import { describe, expect, test } from 'vitest';
import { fixedStamps, freshStamp } from '../../../../../src/mail/facade/mail-facade.js';
import { addressAt } from '../../../../support/jmap/accounts.js';
import { email, mail, serverWith, submitted } from '../../../../support/jmap/scripted-mail.js';
import { MethodError } from '../../../../support/jmap/scripted-server.js';

const [bob, carol] = [addressAt('bob'), addressAt('carol')];
const taken = { delivered: 'unknown', smtpReply: '250 2.1.5 Queued' };
const throttled = { delivered: 'no', smtpReply: '452 4.4.5 Rate limit exceeded, try again later.' };
type Asked = { create: { post: { emailId: string; envelope: { rcptTo: { email: string }[] } } } };

/** It has the message among the sent ones from its submission on, and takes what `takes` says at that moment. */
async function throttling(takes: (address: string) => boolean) {
  const submissions: { id: string; sendAt: string; to: string[]; deliveryStatus: object }[] = [];
  let name = '';
  const server = await serverWith({
    ...submitted,
    'Email/set': (args: { create?: { mail: { messageId: string[] } }; destroy?: string[] }) => {
      if (args.create) name = args.create.mail.messageId[0]!;
      if (args.destroy) name = '';
      return args.create ? { created: { mail: { id: 'M9' } } } : {};
    },
    'Email/query': () => ({ ids: name ? ['M9'] : [] }),
    'Email/get': ({ ids }: { ids: string[] }) => ({
      list: ids.map((id) => email(id, { messageId: [name], mailboxIds: { sent: true } })),
    }),
    'EmailSubmission/set': ({ create: { post } }: Asked) => {
      const to = post.envelope.rcptTo.map((one) => one.email);
      const status = to.map((address) => [address, takes(address) ? taken : throttled]);
      const id = `S${submissions.length}`;
      const sendAt = `2026-11-26T10:00:0${submissions.length}Z`;
      submissions.push({ id, sendAt, to, deliveryStatus: Object.fromEntries(status) });
      return { created: { post: { id } } };
    },
    'EmailSubmission/query': () => ({ ids: submissions.map(({ id }) => id) }),
    'EmailSubmission/get': ({ ids }: { ids: string[] }) => ({
      list: submissions.filter(({ id }) => ids.includes(id)),
    }),
  });
  return { ...server, submissions };
}

describe('a message that a server does not take for everybody yet', () => {
  test('is sent to the others, and the same call sends it to those alone who miss it', async () => {
    let isThrottled = true;
    const { transport, submissions, ref } = await throttling((address) => address === bob || !isThrottled);
    const stamp = freshStamp(new Date());
    const late = { code: 'state_late', deliveredRef: ref('M9') };
    await expect(transport.send(mail, fixedStamps(stamp))).rejects.toMatchObject({
      ...late,
      message: expect.stringMatching(/ not yet to carol@example\.test \(452 /),
    });
    const again = () => transport.send(mail, fixedStamps({ ...stamp, again: true }));
    await expect(again()).rejects.toMatchObject(late);
    isThrottled = false;
    // Two at once are one.
    const sent = await Promise.all([again(), again()]);
    expect(sent.map(({ replayed, message }) => [replayed, message.ref])).toEqual([
      [true, ref('M9')],
      [true, ref('M9')],
    ]);
    await again();
    expect(submissions.map(({ to }) => to)).toEqual([[bob, carol], [carol], [carol]]);
  });

  test('is not reported as undone when the later try is refused as a whole', async () => {
    let isRefusing = false;
    const { transport, ref, server } = await throttling((address) => address === bob);
    const stamp = freshStamp(new Date());
    await transport.send(mail, fixedStamps(stamp)).catch(() => undefined);
    const { api } = server;
    server.api = (asked, answer) => {
      if (isRefusing && asked.body.includes('EmailSubmission/set')) {
        const error = new MethodError({ type: 'serverUnavailable' }).error;
        return void answer.end(JSON.stringify({ methodResponses: [['error', error, 'submit']] }));
      }
      api(asked, answer);
    };
    isRefusing = true;
    await expect(transport.send(mail, fixedStamps({ ...stamp, again: true }))).rejects.toMatchObject({
      code: 'state_late',
      deliveredRef: ref('M9'),
      message: expect.stringMatching(/ not yet to carol@example\.test: .*serverUnavailable/),
    });
  });

  test('for nobody is not sent, nothing of it stays, and the same call sends it later', async () => {
    let isThrottled = true;
    const { transport, changes, submissions } = await throttling(() => !isThrottled);
    const stamp = freshStamp(new Date());
    await expect(transport.send(mail, fixedStamps(stamp))).rejects.toMatchObject({
      code: 'server_refused',
      outcomeUnknown: false,
      message: expect.stringMatching(/ for bob@.* now: /),
    });
    expect(changes.at(-1)).toMatchObject({ destroy: ['M9'] });
    isThrottled = false;
    submissions.length = 0;
    const sent = await transport.send(mail, fixedStamps({ ...stamp, again: true }));
    expect([sent.replayed, submissions.length]).toEqual([false, 1]);
  });
});
