// Servers that are silent, that end and begin, and whose clocks are wrong.
import { resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/foundation/clock.js';
import { fixedStamps, freshStamp } from '../../../../src/mail/facade/mail-facade.js';
import { JmapTransport } from '../../../../src/mail/jmap/jmap-transport.js';
import { addressAt, credentialOf } from '../../../support/jmap/accounts.js';
import { type CyrusServer, cyrusNeed, hasCyrus, startCyrus } from '../../../support/jmap/cyrus-server.js';
import { otherClient } from '../../../support/jmap/other-client.js';
import { email, mail, serverWith, statusOf } from '../../../support/jmap/scripted-mail.js';
import type { ScriptedServer } from '../../../support/jmap/scripted-server.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

/** Milliseconds for one call in these tests. */
const limit = 300;
const file = { path: resolve('package.json'), label: null };
const inbox = { box: 'inbox', read: null, answered: null, archived: null, limit: null, since: null };
const submissions = ({ asked }: ScriptedServer): number =>
  asked.filter(({ body }) => body.includes('EmailSubmission/set')).length;
/** The answer of a server to requests that hold some text. */
function on(server: ScriptedServer, text: string, otherwise: ScriptedServer['api']): void {
  const { api } = server;
  server.api = (asked, answer) => (asked.body.includes(text) ? otherwise : api)(asked, answer);
}

test.each<
  [
    string,
    'unreachable' | 'outcome_unknown' | 'state_late',
    number,
    (server: ScriptedServer, silent: () => void) => unknown,
  ]
>([
  ['its session', 'unreachable', 0, (server, silent) => Object.assign(server, { session: silent })],
  ['any call', 'unreachable', 0, (server, silent) => Object.assign(server, { api: silent })],
  ['an upload', 'unreachable', 0, (server, silent) => Object.assign(server, { upload: silent })],
  ['a submission', 'outcome_unknown', 1, (server, silent) => on(server, 'EmailSubmission/set', silent)],
  [
    'a submission and all that follows',
    'outcome_unknown',
    1,
    (server, silent) => {
      on(server, 'EmailSubmission/set', () => {
        server.api = silent;
        silent();
      });
    },
  ],
  ['what became of it', 'state_late', 1, (server, silent) => on(server, 'EmailSubmission/get', silent)],
])(
  'a server that is silent at %s is given up, and asked to send once at most',
  async (_what, code, sent, arrange) => {
    const clock = new VirtualClock('2026-03-19T08:00:00Z');
    const { transport, server } = await serverWith(statusOf(null), limit, clock);
    // A server that is asked and says nothing lets the time of that call pass, and no other time passes.
    arrange(server, () => clock.pass(limit));
    const sending = transport.send({ ...mail, attachments: [file] }, fixedStamps(freshStamp(new Date())));
    await expect(sending).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/gave no complete answer within 0\.3 s$/),
    });
    expect(submissions(server)).toBe(sent);
  },
);

test('a connection that was kept and is dead: a look is made again, a message is not sent again', async () => {
  const { server } = await serverWith(statusOf(null));
  // By that name it is not taken for one of this machine, to which connections are not kept.
  const jmapUrl = `${server.url.replace('127.0.0.1', '0.0.0.0')}/jmap`;
  const transport = new JmapTransport({
    jmapUrl,
    credential: () => ({ ...credentialOf('alice', 'sesame'), allowPlainHttp: true }),
    owner: { address: addressAt('alice'), principalId: 'HOUMAO-alice' },
    clock: systemClock,
  });
  onTestFinished(() => transport.close());
  const { api, session } = server;
  const used = new Set<unknown>();
  const noting =
    (respond: ScriptedServer['api']): ScriptedServer['api'] =>
    (asked, answer) => {
      used.add(answer.socket);
      respond(asked, answer);
    };
  server.session = noting(session);
  server.api = noting(api);
  await transport.check();
  const wereUsed: boolean[] = [];
  /** As one that was closed when the request was on its way. */
  const dead: ScriptedServer['api'] = (_asked, answer) => {
    wereUsed.push(used.has(answer.socket));
    server.api = noting(api);
    answer.socket?.destroy();
  };
  server.api = dead;
  expect(await transport.list(inbox)).toEqual({ messages: [], damaged: [] });
  on(server, 'EmailSubmission/set', dead);
  await expect(transport.send(mail, fixedStamps(freshStamp(new Date())))).rejects.toMatchObject({
    code: 'outcome_unknown',
  });
  expect(submissions(server)).toBe(1);
  expect(wereUsed).toEqual([true, true]);
});

test('a server whose clock is an hour behind or before has what was sent found by its name', async () => {
  for (const hours of [-1, 1]) {
    const stamp = { ...freshStamp(new Date()), again: true };
    const receivedAt = new Date(stamp.at + hours * 3_600_000).toISOString().replace(/\.\d+/, '');
    const sent = email('M9', {
      receivedAt,
      messageId: [`${stamp.messageId}@example.test`],
      mailboxIds: { sent: true },
    });
    const { ref, transport, server } = await serverWith({
      ...statusOf(null),
      'EmailSubmission/query': () => ({ ids: ['S1'] }),
      'Email/query': ({ filter: { after } }: { filter: { after: string } }) => ({
        ids: Date.parse(receivedAt) >= Date.parse(after) ? ['M9'] : [],
      }),
      'Email/get': ({ ids }: { ids: string[] }) => ({ list: ids.map(() => sent) }),
    });
    const { api } = server;
    server.api = (asked, answer) => {
      answer.setHeader('date', new Date(Date.now() + hours * 3_600_000).toUTCString());
      api(asked, answer);
    };
    const again = await transport.send(mail, fixedStamps(stamp));
    expect([again.replayed, again.message.ref, submissions(server)]).toEqual([true, ref('M9'), 0]);
  }
});

describe('on a mail server', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, () => {
  const open = (server: CyrusServer, name: string): JmapTransport => {
    const owner = { address: addressAt(name), principalId: `HOUMAO-${name}` };
    const credential = () => credentialOf(addressAt(name), `${name}-pw`);
    const transport = new JmapTransport({ jmapUrl: server.jmapUrl, credential, owner, clock: systemClock });
    onTestFinished(() => transport.close());
    return transport;
  };
  const started = async (): Promise<CyrusServer> => {
    const server = await startCyrus({ [addressAt('alice')]: 'alice-pw', [addressAt('bob')]: 'bob-pw' });
    onTestFinished(() => server.stop());
    return server;
  };
  const toBob = (subject: string) => ({ ...mail, to: [addressAt('bob')], subject });

  test('that was restarted, connections of before are no hindrance, and what is sent comes once', async () => {
    const server = await started();
    const [alice, bob] = [open(server, 'alice'), open(server, 'bob')];
    await alice.send(toBob('before'), fixedStamps(freshStamp(new Date())));
    await bob.check();
    await server.end();
    await server.begin();
    const [, sent] = await Promise.all([
      bob.check(),
      alice.send(toBob('after'), fixedStamps(freshStamp(new Date()))),
    ]);
    expect(sent.message.subject).toBe('after');
    await alice.send(toBob('behind'), fixedStamps(freshStamp(new Date())));
    const subjects = async () => (await bob.headings(inbox)).map(({ subject }) => subject).sort();
    await expect.poll(subjects).toEqual(['after', 'before', 'behind']);
  });

  test('that says of mail that it came an hour ago or will come in one, the list says so, and a bound holds', async () => {
    const server = await started();
    const bob = open(server, 'bob');
    const elsewhere = await otherClient(server, addressAt('bob'), 'bob-pw');
    const now = Math.floor(Date.now() / 1000) * 1000;
    for (const [subject, hours] of [
      ['behind', -1],
      ['before', 1],
      ['right', 0],
    ] as const)
      await elsewhere.bringIn(`Subject: ${subject}\r\n\r\nx\r\n`, new Date(now + hours * 3_600_000));
    const subjects = async (since: number | null) =>
      (await bob.headings({ ...inbox, since })).map(({ subject }) => subject);
    expect(await subjects(null)).toEqual(['before', 'right', 'behind']);
    expect(await subjects(now)).toEqual(['before', 'right']);
    expect(await subjects(now + 3_600_000)).toEqual(['before']);
    expect(await subjects(now + 3_600_001)).toEqual([]);
  });
});
