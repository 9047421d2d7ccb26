import { describe, expect, test, vi } from 'vitest';
import type { TwoMailboxes } from '../../support/mail/transport-conformance.js';
import { testAttachments } from './attachment-suite.js';
import { testRefusals } from './refusal-suite.js';
import type { MailAgent, TwoMailAgents } from './two-agents.js';

/** Where the mail of two agents is. A message that comes to Bob says `Hello.`. */
export interface FacadePlace extends Pick<TwoMailboxes, 'unknownRef' | 'strangers' | 'comeToBob'> {
  transport: 'filesystem' | 'stalwart';
  agents: TwoMailAgents;
}

/** The behaviour of the facade wherever the mail is: a caller sees no difference. */
export function testFacade(place: FacadePlace): void {
  const { agents } = place;

  /** A message may be on its way for a while. @returns its reference in that mailbox. */
  const arrived = (agent: MailAgent, subject: string): Promise<string> =>
    vi.waitFor(
      async () => {
        const { messages } = (await agent.mail('list', {})).body;
        const found = messages.find((message: { subject: string }) => message.subject === subject);
        return found?.message_ref ?? expect.fail(`${subject} is not there`);
      },
      { timeout: 20_000, interval: 20 },
    );

  /** Sends a message from Alice to Bob. @returns its reference in his mailbox. */
  async function toBob(subject: string, more: object = {}): Promise<string> {
    const { alice, bob } = agents;
    const mail = { to: [bob.address], subject, body_content: `of ${subject}`, ...more };
    expect(await alice.mail('send', mail)).toMatchObject({ status: 200 });
    return arrived(bob, subject);
  }

  const subjects = async (body: object): Promise<string[]> =>
    (await agents.bob.mail('list', body)).body.messages.map(({ subject }: { subject: string }) => subject);

  /** The mail that came to Bob before a message that is sent now. */
  const untilNow = async (): Promise<string[]> => {
    await toBob(`until ${crypto.randomUUID()}`);
    return subjects({});
  };

  test('the status names the mailbox', async () => {
    const { status, body } = await agents.alice.mail('status');
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        schema_version: 1,
        transport: place.transport,
        principal_id: 'HOUMAO-alice',
        address: agents.alice.address,
        bindings_version: expect.stringMatching(/./),
      },
    });
  });

  testAttachments(place, toBob);

  describe('a message', () => {
    test('is in the box sent of its sender, read, and unread in the inbox of its recipient', async () => {
      const { alice, bob } = agents;
      const sent = await alice.mail('send', {
        to: [` ${bob.address} `],
        cc: [alice.address],
        subject: '  hello  ',
        body_content: 'first\r\nsecond',
      });
      expect(sent.body).toMatchObject({
        operation: 'send',
        transport: place.transport,
        address: alice.address,
        message: { subject: 'hello', body_text: 'first\nsecond', body_preview: 'first second' },
      });
      const ref = await arrived(bob, 'hello');
      const peeked = await bob.mail('peek', { message_ref: ref });
      expect(peeked.body).toMatchObject({
        operation: 'peek',
        message: {
          box: 'inbox',
          read: false,
          unread: true,
          answered: false,
          archived: false,
          sender: { address: alice.address, display_name: null },
          to: [{ address: bob.address }],
          cc: [{ address: alice.address }],
          reply_to: [],
          notify_block: null,
        },
      });
      const elsewhere = await bob.mail('read', { message_ref: ref, box: 'sent' });
      expect([elsewhere.status, elsewhere.headers.get('x-houmao-error-code')]).toEqual([502, 'mail_refused']);
      expect((await bob.mail('peek', { message_ref: ref })).body.message.read).toBe(false);
      expect((await bob.mail('read', { message_ref: ref, box: 'inbox' })).body.message).toMatchObject({
        read: true,
      });
      const own = { message_ref: await arrived(alice, 'hello') };
      expect((await alice.mail('peek', own)).body.message.read).toBe(false);
    });

    test('is answered to its sender, and is answered and read from then on', async () => {
      const { alice, bob } = agents;
      const parent = await toBob('a question');
      const reply = await bob.mail('reply', { message_ref: parent, body_content: 'an answer' });
      expect(reply.body.message).toMatchObject({
        subject: 'Re: a question',
        box: 'sent',
        to: [{ address: alice.address }],
      });
      const question = (await bob.mail('peek', { message_ref: parent })).body.message;
      expect(reply.body.message.thread_ref).toBe(question.thread_ref);
      expect(question).toMatchObject({
        read: true,
        answered: true,
        archived: false,
        box: 'inbox',
      });
      const got = await alice.mail('peek', { message_ref: await arrived(alice, 'Re: a question') });
      expect(got.body.message).toMatchObject({ box: 'inbox', read: false, subject: 'Re: a question' });
    });

    test('is moved, archived and marked, all of them or none', async () => {
      const { bob } = agents;
      const refs = [await toBob('one'), await toBob('two')];
      const archived = await bob.mail('archive', { message_refs: refs });
      expect(archived.body).toMatchObject({
        operation: 'archive',
        message_count: 2,
        messages: [{ subject: 'one', box: 'archive', read: true, archived: true }, { subject: 'two' }],
      });
      const half = await bob.mail('mark', { message_refs: [refs[0], place.unknownRef], read: false });
      expect(half).toMatchObject({
        status: 502,
        body: { detail: expect.stringContaining(place.unknownRef.split(':')[1]!) },
      });
      expect((await bob.mail('peek', { message_ref: refs[0] })).body.message.read).toBe(true);
      const back = await bob.mail('mark', {
        message_refs: refs,
        archived: false,
        read: false,
        answered: true,
      });
      expect(back.body.messages).toMatchObject([
        ...Array.from({ length: 2 }, () => ({ box: 'inbox', read: false, answered: true, archived: false })),
      ]);
      const moved = await bob.mail('move', { message_refs: refs, destination_box: ' Später ' });
      expect(moved.body).toMatchObject({
        operation: 'move',
        messages: [{ box: 'Später' }, { box: 'Später' }],
      });
      expect((await bob.mail('move', { message_refs: refs, destination_box: '../x' })).status).toBe(502);
      expect(await subjects({ box: 'Später' })).toEqual(expect.arrayContaining(['one', 'two']));
    });
  });

  test('a list is newest first, filtered, and counts what it shows', async () => {
    const { bob } = agents;
    const refs = [];
    for (const [subject, second] of [
      ['l2', 2],
      ['l1', 1],
      ['l3', 3],
    ] as const) {
      refs.push(await place.comeToBob(subject, new Date(Date.UTC(2026, 0, 1, 0, 0, second))));
    }
    await bob.mail('move', { message_refs: refs, destination_box: 'listed' });
    await bob.mail('read', { message_ref: refs[0] });
    const all = await bob.mail('list', { box: 'listed', include_body: true });
    expect(all.body).toMatchObject({ box: 'listed', message_count: 3, open_count: 3, unread_count: 2 });
    expect(all.body.damaged).toBeUndefined();
    expect(all.body.messages[0].body_text).toBe('Hello.');
    expect(await subjects({ box: 'listed' })).toEqual(['l3', 'l2', 'l1']);
    expect(await subjects({ box: 'listed', read_state: 'read' })).toEqual(['l2']);
    expect(await subjects({ box: 'listed', limit: 2 })).toEqual(['l3', 'l2']);
    expect((await bob.mail('list', { box: 'listed' })).body.messages[0].body_text).toBeNull();
    const { created_at_utc: since } = all.body.messages[1];
    expect(await subjects({ box: 'listed', since })).toEqual(['l3', 'l2']);
    expect((await bob.mail('list', { box: 'nothing here' })).body).toMatchObject({
      message_count: 0,
      messages: [],
    });
  });

  describe('a note of the operator', () => {
    test('that takes no replies is not answered', async () => {
      const { bob } = agents;
      const note = await bob.mail('post', { subject: 'fyi', body_content: '', reply_policy: 'none' });
      expect(note.body).toMatchObject({
        operation: 'post',
        message: { box: 'inbox', read: false, sender: { address: 'HOUMAO-operator@houmao.localhost' } },
      });
      const reply = await bob.mail('reply', {
        message_ref: note.body.message.message_ref,
        body_content: 'but',
      });
      expect(reply).toMatchObject({
        status: 422,
        body: { detail: expect.stringContaining('operator-origin') },
      });
    });
  });

  describe('an Idempotency-Key', () => {
    test('delivers once, also after a restart, and says so', async () => {
      const { alice, bob } = agents;
      const mail = { to: [bob.address], subject: 'once', body_content: '' };
      const key = { 'Idempotency-Key': 'send-once' };
      const first = await alice.mail('send', mail, key);
      expect(first.headers.get('idempotency-replayed')).toBeNull();
      await alice.restart();
      const again = await alice.mail('send', mail, key);
      expect(again.body.message.message_ref).toBe(first.body.message.message_ref);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect((await untilNow()).filter((subject) => subject === 'once')).toHaveLength(1);
    });

    test('delivers once when both calls come at once', async () => {
      const { alice, bob } = agents;
      const mail = { to: [bob.address], subject: 'at once', body_content: '' };
      const key = { 'Idempotency-Key': 'send-at-once' };
      const answers = await Promise.all([alice.mail('send', mail, key), alice.mail('send', mail, key)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(new Set(answers.map(({ body }) => body.message.message_ref)).size).toBe(1);
      expect((await untilNow()).filter((subject) => subject === 'at once')).toHaveLength(1);
    });

    test('belongs to one body and one operation', async () => {
      const { alice, bob } = agents;
      const key = { 'Idempotency-Key': 'send-other' };
      const mail = { subject: 'one', body_content: '', reply_policy: 'none' };
      await alice.mail('post', mail, key);
      for (const [operation, body] of [
        ['post', { ...mail, subject: 'other' }],
        ['send', { subject: 'one', body_content: '', to: [bob.address] }],
      ] as const)
        expect(await alice.mail(operation, body, key)).toMatchObject({
          status: 422,
          body: { detail: expect.stringMatching(/ or mailbox\.$/) },
        });
    });
  });

  testRefusals(place, untilNow);

  test('a notice goes with its message, by its own words or by those of the body', async () => {
    const { bob } = agents;
    const fence = '```houmao-notify\nlook here\n```';
    for (const [subject, more, block] of [
      [
        'with a notice',
        { notify_block: { text: 'Ünd  zwei', placement: 'prepend' } },
        { text: 'Ünd  zwei', placement: 'prepend' },
      ],
      ['with a fence', { body_content: fence }, { text: 'look here', placement: 'append' }],
      ['without', {}, null],
    ] as const)
      expect(
        (await bob.mail('peek', { message_ref: await toBob(subject, more) })).body.message.notify_block,
      ).toEqual(block);
    const auth = { scheme: 'none', token: 'of both', iss: null, iat: null, exp: null };
    const message_ref = await toBob('with a token', { notify_block: { text: 'x' }, notify_auth: auth });
    expect((await bob.mail('peek', { message_ref })).body.message.notify_auth).toEqual(auth);
  });
}
