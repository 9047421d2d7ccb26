// The answers of a Stalwart 0.16.19 to what we ask of it (test/fixtures/stalwart), and what is made of them.
import { expect, test } from 'vitest';
import { fixedStamps, freshStamp } from '../../../../src/mail/facade/mail-facade.js';
import { allUpdated, mail, serverWith, submitted } from '../../../support/jmap/scripted-mail.js';
import { type RecordedPair, recordedPair, recordedPairs } from '../../../support/jmap/stalwart-records.js';

type Result = Record<string, unknown>;

/** The answer to a method in a recorded exchange; the first, where a method causes another of its name. */
const resultIn = ({ answer }: RecordedPair, method: string): Result => {
  const { methodResponses } = answer.body as { methodResponses: [string, Result, string][] };
  return methodResponses.find(([name]) => name === method)![1];
};
/** The exchange that follows another one. */
const after = (shows: string): RecordedPair => {
  const all = recordedPairs('mail');
  return all[all.findIndex((pair) => pair.shows.startsWith(shows)) + 1]!;
};

/** A server that answers a submission so, and the question what became of it. */
async function submitting(made: RecordedPair, fate: RecordedPair | null = null) {
  const server = await serverWith({
    'Email/set': (args: { create?: object; update?: object; destroy?: string[] }) =>
      args.create ? resultIn(made, 'Email/set') : args.destroy ? {} : allUpdated(args),
    'EmailSubmission/set': () => resultIn(made, 'EmailSubmission/set'),
    'EmailSubmission/get': () => resultIn(fate!, 'EmailSubmission/get'),
  });
  const send = () => server.transport.send(mail, fixedStamps(freshStamp(new Date())));
  return { ...server, send };
}
const recorded = (shows: string): RecordedPair => recordedPair('mail', shows);

test('a mail that is queued is sent, though its submission is pending', async () => {
  const { send, ref } = await submitting(recorded('a submission;'), recorded('its fate at once'));
  expect(await send()).toMatchObject({ replayed: false, message: { ref: ref('eaaaaab') } });
});

test('one for nobody who is known is not sent, and nothing of it stays', async () => {
  const { send, changes } = await submitting(recorded('nobody known'), after('nobody known'));
  await expect(send()).rejects.toMatchObject({
    code: 'server_refused',
    message: expect.stringMatching(/ for nobody@agents\.test \(550 5\.1\.2 Mailbox does not exist\.\)$/),
  });
  expect(changes.at(-1)).toMatchObject({ destroy: ['iaaaaac'] });
});

test('one for somebody and for nobody is sent, and says for whom not', async () => {
  const { send, ref } = await submitting(recorded('one known, one not'), after('one known, one not'));
  await expect(send()).rejects.toMatchObject({
    code: 'state_late',
    deliveredRef: ref('maaaaad'),
    message: expect.stringMatching(/ not to nobody@agents\.test \(550 5\.1\.2 Mailbox does not exist\.\)$/),
  });
});

test('the 26th of an hour is not sent, and may be later', async () => {
  const { send } = await submitting(recorded('a submission;'), recorded('default settings, mail 26'));
  await expect(send()).rejects.toMatchObject({
    code: 'server_refused',
    message: expect.stringMatching(/ for bob@agents\.test \(452 4\.4\.5 Rate limit/),
  });
});

test.each([
  ['an address whose last label', 'qaaaaae', /invalidProperties \(Invalid e-mail address "x@elsewhere\.inva/],
  [
    'another sender in the envelope',
    'uaaaaaf',
    /forbiddenFrom \(the login may not send as that address; Env/,
  ],
])('%s: the refusal is reported, and the draft does not stay', async (shows, id, words) => {
  const { send, changes } = await submitting(recorded(shows));
  await expect(send()).rejects.toMatchObject({
    code: 'server_refused',
    message: expect.stringMatching(words),
  });
  expect(changes.at(-1)).toMatchObject({ destroy: [id] });
});

test('a full mailbox is reported', async () => {
  const { answer } = recordedPair('limits', 'no room');
  const [[, { notCreated }]] = (answer.body as { methodResponses: [[string, { notCreated: { m: object } }]] })
    .methodResponses;
  const { transport } = await serverWith({
    ...submitted,
    'Email/set': () => ({ notCreated: { mail: notCreated.m } }),
  });
  await expect(transport.send(mail, fixedStamps(freshStamp(new Date())))).rejects.toThrow(
    /overQuota \(the mailbox there is full; You have exceeded your disk quota\.\)$/,
  );
});

test('an id that is none is unknown, under whatever id the server says so', async () => {
  const pair = recorded('an id that is none');
  const { transport, ref } = await serverWith({
    'Email/get': () => resultIn(pair, 'Email/get'),
    'Email/set': () => resultIn(pair, 'Email/set'),
  });
  const unknown = { code: 'message_unknown' };
  const none = ref('M000000000000000000000000');
  await expect(transport.peek(none, null)).rejects.toMatchObject(unknown);
  await expect(transport.mark([none], { read: true })).rejects.toMatchObject(unknown);
});

test('boxes have their roles, and the archive that is missing is made', async () => {
  const boxes = resultIn(recorded('boxes of a new account'), 'Mailbox/get');
  const made: unknown[] = [];
  const { transport, ref } = await serverWith({
    'Mailbox/get': () => boxes,
    'Mailbox/set': (args: object) => {
      made.push(args);
      return { created: { box: { id: 'f' } } };
    },
    'Email/get': ({ ids }: { ids: string[] }) => ({
      list: ids.map((id) => ({ id, receivedAt: '2026-11-26T10:09:35Z', mailboxIds: { a: true } })),
    }),
  });
  expect(await transport.peek(ref('eaaaaab'), 'inbox')).toMatchObject({ box: 'inbox' });
  await transport.move([ref('eaaaaab')], 'archive');
  expect(made).toMatchObject([{ create: { box: { name: 'Archive', role: 'archive' } } }]);
});
