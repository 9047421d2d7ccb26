// Refusals of a change by a server, as none does on demand.
import { expect, test } from 'vitest';
import { fixedStamps, freshStamp } from '../../../../src/mail/facade/mail-facade.js';
import { addressAt } from '../../../support/jmap/accounts.js';
import { email, mail, no, serverWith, statusOf, submitted } from '../../../support/jmap/scripted-mail.js';
import { json } from '../../../support/jmap/scripted-server.js';

test('a change that is refused for one message is taken back for those before it', async () => {
  const refusal = {
    updated: { M1: null },
    notUpdated: { M2: { type: 'forbidden', description: 'it is locked' } },
  };
  const { ref, transport, changes } = await serverWith({
    'Email/set': ({ update }: { update: object }) => ('M2' in update ? refusal : { updated: { M1: null } }),
  });
  await expect(transport.mark([ref('M1'), ref('M2')], { read: false })).rejects.toMatchObject({
    code: 'server_refused',
    message: expect.stringMatching(/change message M2: forbidden \(it is locked\)$/),
  });
  expect(changes).toMatchObject([
    { update: { M1: { 'keywords/$seen': null }, M2: { 'keywords/$seen': null } } },
    { update: { M1: { keywords: { $seen: true }, mailboxIds: { inbox: true } } } },
  ]);
  expect(Object.keys(changes[1]!.update as object)).toEqual(['M1']);
});

test('a message that went away meanwhile is unknown', async () => {
  const { ref, transport } = await serverWith({
    'Email/set': () => ({ notUpdated: { M1: { type: 'notFound' } } }),
  });
  await expect(transport.move([ref('M1')], 'archive')).rejects.toMatchObject({ code: 'message_unknown' });
});

test('a submission that was made although everybody was refused is no sent message', async () => {
  const { transport, changes } = await serverWith(
    statusOf({ [addressAt('bob')]: no, [addressAt('carol')]: no }),
  );
  await expect(transport.send(mail, fixedStamps(freshStamp(new Date())))).rejects.toMatchObject({
    code: 'server_refused',
    message: expect.stringContaining('bob@example.test (550 5.1.1'),
  });
  expect(changes.at(-1)).toMatchObject({ destroy: ['M9'] });
});

test('one that was refused for some is done, and says for whom not', async () => {
  const { ref, transport, changes } = await serverWith(
    statusOf({ [addressAt('bob')]: { delivered: 'queued' }, [addressAt('carol')]: no }),
  );
  await expect(transport.send(mail, fixedStamps(freshStamp(new Date())))).rejects.toMatchObject({
    code: 'state_late',
    deliveredRef: ref('M9'),
    message: expect.stringMatching(/ not to carol@example\.test \(550 5\.1\.1 unknown\)$/),
  });
  expect(changes).toHaveLength(1);
});

test.each([null, {}, { [addressAt('bob')]: { delivered: 'unknown' } }])(
  'a status of %o refuses nobody',
  async (status) => {
    const { ref, transport } = await serverWith(statusOf(status));
    const sent = await transport.send(mail, fixedStamps(freshStamp(new Date())));
    expect(sent).toMatchObject({ replayed: false, message: { ref: ref('M9') } });
  },
);

test('nobody sends as somebody for whom the server has no identity', async () => {
  const { transport, changes } = await serverWith({
    ...submitted,
    'Identity/get': () => ({ list: [] }),
  });
  await expect(transport.send(mail, fixedStamps(freshStamp(new Date())))).rejects.toMatchObject({
    code: 'owner_differs',
    message: 'the mail server does not allow sending as alice@example.test here',
  });
  expect(changes).toEqual([]);
});

test('a server that says nothing of a creation refused it', async () => {
  const { transport } = await serverWith({
    ...submitted,
    'Email/set': () => ({}),
    'EmailSubmission/set': () => ({}),
  });
  await expect(transport.send(mail, fixedStamps(freshStamp(new Date())))).rejects.toMatchObject({
    message: expect.stringMatching(/refused to take the message, and did not/),
  });
});

test('a submission of which a server says nothing may be one', async () => {
  const { transport, changes } = await serverWith({ ...submitted, 'EmailSubmission/set': () => ({}) });
  await expect(transport.send(mail, fixedStamps(freshStamp(new Date())))).rejects.toMatchObject({
    code: 'outcome_unknown',
    message: expect.stringMatching(/does not say what became of the message$/),
  });
  // A message that may have been sent is not thrown away.
  expect(changes.some((change) => 'destroy' in change)).toBe(false);
});

test('a change of which a server says nothing may be done', async () => {
  const { ref, transport } = await serverWith({ 'Email/set': () => ({}) });
  await expect(transport.mark([ref('M1')], { read: true })).rejects.toMatchObject({
    code: 'outcome_unknown',
  });
});

test('messages that were changed before the server let nobody in any more are reported as that', async () => {
  const { ref, transport, server } = await serverWith({});
  const api = server.api;
  let sets = 0;
  server.api = (asked, answer) => {
    if (!asked.body.includes('Email/set')) return api(asked, answer);
    sets += 1;
    if (sets === 1) return api(asked, answer);
    server.session = (_asked, refused) => json(refused, 401, {});
    json(answer, 401, {});
  };
  const refs = Array.from({ length: 501 }, (_, at) => ref(`M${at}`));
  await expect(transport.mark(refs, { read: true })).rejects.toMatchObject({
    code: 'outcome_unknown',
    message: expect.stringMatching(/^some of the messages may be changed: /),
  });
});

test('an answer to somebody without an address goes to all whom he names for it', async () => {
  const replyTo = ['carol', 'dave'].map((name) => ({ email: addressAt(name) }));
  const { ref, transport, changes } = await serverWith({
    ...statusOf(null),
    'Email/get': ({ ids }: { ids: string[] }) => ({
      list: ids.map((id) => email(id, { from: [{ email: 'none' }], replyTo, messageId: ['m@x'] })),
    }),
  });
  const nothingMore = { body: '', attachments: [], notifyBlock: null, notifyAuth: null };
  await transport.reply(ref('M1'), nothingMore, fixedStamps(freshStamp(new Date())));
  expect(changes[0]).toMatchObject({ create: { mail: { to: replyTo } } });
});

test('a sent message is not reported as refused, where only its fate cannot be asked for', async () => {
  const { ref, transport, changes } = await serverWith({
    ...submitted,
    'EmailSubmission/get': () => ({ list: 'nonsense' }),
  });
  await expect(transport.send(mail, fixedStamps(freshStamp(new Date())))).rejects.toMatchObject({
    code: 'state_late',
    deliveredRef: ref('M9'),
    message: expect.stringMatching(/^it was sent, but whether for all recipients is not known: /),
  });
  expect(changes).toHaveLength(1);
});

test('a message that was made and not submitted is no draft that stays', async () => {
  const error = { type: 'forbidden' };
  const { transport, changes } = await serverWith({
    ...submitted,
    'EmailSubmission/set': () => ({ notCreated: { post: error } }),
  });
  await expect(transport.send(mail, fixedStamps(freshStamp(new Date())))).rejects.toMatchObject({
    code: 'server_refused',
    type: 'forbidden',
  });
  expect(changes.at(-1)).toMatchObject({ destroy: ['M9'] });
});

test('an identity for all of a domain is one for its addresses, and for no other', async () => {
  for (const [email, isOne] of [
    ['*@example.test', true],
    ['*@test', false],
    ['*@other.example.test', false],
  ] as const) {
    const { transport } = await serverWith({
      ...statusOf(null),
      'Identity/get': () => ({ list: [{ id: 'me', email }] }),
    });
    const sending = transport.send(mail, fixedStamps(freshStamp(new Date())));
    await (isOne
      ? expect(sending).resolves.toMatchObject({ replayed: false })
      : expect(sending).rejects.toMatchObject({ code: 'owner_differs' }));
  }
});

test('a message that the server says nothing of keeps no list of headings from being read', async () => {
  const { ref, transport } = await serverWith({
    'Email/query': () => ({ ids: ['M1', 'M2'] }),
    'Email/get': () => ({ list: [{ id: 'M1' }, email('M2')] }),
  });
  const query = { box: 'inbox', read: null, answered: null, archived: null, limit: null, since: null };
  expect((await transport.headings(query)).map(({ ref }) => ref)).toEqual([ref('M2')]);
  expect((await transport.list(query)).damaged).toMatchObject([{ ref: ref('M1') }]);
});

test('an answer to a message without a name has no name to refer to', async () => {
  const { ref, transport, changes } = await serverWith({
    ...statusOf(null),
    'Email/get': ({ ids }: { ids: string[] }) => ({
      list: ids.map((id) =>
        email(id, { messageId: null, from: [{ email: addressAt('bob') }], subject: 'q' }),
      ),
    }),
  });
  const nothingMore = { body: '', attachments: [], notifyBlock: null, notifyAuth: null };
  await transport.reply(ref('M1'), nothingMore, fixedStamps(freshStamp(new Date())));
  const { create } = changes[0] as { create: { mail: object } };
  expect(create.mail).toMatchObject({ subject: 'Re: q', to: [{ email: addressAt('bob') }] });
  expect(create.mail).not.toHaveProperty('references');
  expect(create.mail).not.toHaveProperty('inReplyTo');
});

test('a refusal for some is reported again when the call is repeated', async () => {
  const stamp = { ...freshStamp(new Date()), again: true };
  const status = {
    [addressAt('bob')]: { delivered: 'yes' },
    [addressAt('carol')]: { ...no, smtpReply: 'no\u001b[1m\r\nsesame' },
  };
  const { ref, transport, changes } = await serverWith({
    ...statusOf(status),
    'Email/query': () => ({ ids: ['M9'] }),
    'EmailSubmission/query': () => ({ ids: ['S1'] }),
    'Email/get': ({ properties }: { properties?: string[] }) => ({
      list: [
        email('M9', {
          messageId: properties ? [`${stamp.messageId}@example.test`] : [],
          mailboxIds: { sent: true },
        }),
      ],
    }),
  });
  await expect(transport.send(mail, fixedStamps(stamp))).rejects.toMatchObject({
    code: 'state_late',
    deliveredRef: ref('M9'),
    message: expect.stringMatching(/ not to carol@example\.test \(no\ufffd\[1m \*{3}\)$/),
  });
  expect(changes).toEqual([]);
});

test('a change that cannot be taken back is not known', async () => {
  let calls = 0;
  const { ref, transport } = await serverWith({
    'Email/set': () => {
      calls += 1;
      return calls === 1
        ? { updated: { M1: null }, notUpdated: { M2: { type: 'forbidden' } } }
        : { notUpdated: { M1: { type: 'forbidden' } } };
    },
  });
  await expect(transport.mark([ref('M1'), ref('M2')], { read: true })).rejects.toMatchObject({
    code: 'outcome_unknown',
    message: expect.stringMatching(/^some of the messages may be changed: /),
  });
});

test('a long text is asked for alone, and whole', async () => {
  const text = (value: string, isTruncated: boolean) => ({
    textBody: [{ partId: '1' }],
    bodyValues: { 1: { value, isTruncated } },
  });
  const { transport } = await serverWith({
    'Email/query': () => ({ ids: ['M1'] }),
    'Email/get': ({ maxBodyValueBytes }: { maxBodyValueBytes?: number }) => ({
      list: [email('M1', maxBodyValueBytes === undefined ? text('the whole', false) : text('the', true))],
    }),
  });
  const query = { box: 'inbox', read: null, answered: null, archived: null, limit: null, since: null };
  const { messages } = await transport.list({ ...query, bodies: true });
  expect(messages.map(({ body }) => body)).toEqual(['the whole']);
});

test.each([["o'brien@example.org"], ['_x@example.org'], ['a+b@sub.example.org']])(
  '%s is an address',
  async (address) => {
    const { transport } = await serverWith(statusOf(null));
    const sent = transport.send({ ...mail, to: [address] }, fixedStamps(freshStamp(new Date())));
    await expect(sent).resolves.toMatchObject({ replayed: false });
  },
);

test.each([['a@b@c'], ['a b@c.d'], ['<a@b.c>'], ['a@b.c,d@e.f'], ['a@-'], ['a\r\nBcc: x@y'], ['']])(
  '%j is none',
  async (address) => {
    const { transport, changes } = await serverWith(statusOf(null));
    const sent = transport.send({ ...mail, cc: [address] }, fixedStamps(freshStamp(new Date())));
    await expect(sent).rejects.toMatchObject({ code: 'recipient_unknown' });
    expect(changes).toEqual([]);
  },
);
