import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixedStamps } from '../../../src/mail/facade/mail-facade.js';
import { newMessageId } from '../../../src/mail/message/message-id.js';
import type {
  MailQuery,
  MailTransport,
  MailView,
  MessageStamp,
  MessageStamps,
  OutgoingMail,
} from '../../../src/mail/transport/mail-transport.js';

/** Two mailboxes of one place, empty at the start. */
export interface TwoMailboxes {
  alice: MailTransport;
  bob: MailTransport;
  addresses: { alice: string; bob: string };
  /** Makes a message unreadable where it is kept. */
  damage(ref: string): void;
  /** Does work while another program holds Bob's mailbox, with transports that soon lose patience. */
  whileHeld(work: (both: Pick<TwoMailboxes, 'alice' | 'bob'>) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

const nothingMore: OutgoingMail = { body: '', attachments: [], notifyBlock: null, notifyAuth: null };

const newStamp = (now = new Date()): MessageStamp => ({
  ...{ messageId: newMessageId(now), at: now.getTime(), again: false },
});

const chooseNew = (now?: Date): MessageStamps => fixedStamps(newStamp(now));

const query = (more: Partial<MailQuery> = {}): MailQuery => ({
  ...{ box: 'inbox', read: null, answered: null, archived: null, limit: null, since: null, bodies: true },
  ...more,
});

/** What every place that keeps mail must do. Tests run in any order, so each looks for its own messages only. */
export function testMailTransport(name: string, open: () => Promise<TwoMailboxes>): void {
  describe(`the mail transport ${name}`, () => {
    let both: TwoMailboxes;
    beforeAll(async () => {
      both = await open();
    });
    afterAll(() => both.close());

    const toBob = async (subject: string, body = ''): Promise<MailView> => {
      const mail = { ...nothingMore, body, subject, to: [both.addresses.bob], cc: [] };
      const { message } = await both.alice.send(mail, chooseNew());
      // Each mailbox has a name of its own for it.
      return seen(both.bob, message.subject);
    };
    const listed = async (transport: MailTransport, more: Partial<MailQuery> = {}): Promise<string[]> =>
      (await transport.list(query(more))).messages.map(({ subject }) => subject);
    const seen = async (transport: MailTransport, subject: string): Promise<MailView> =>
      (await transport.list(query())).messages.find((view) => view.subject === subject)!;

    test('shows a message to its sender as sent, and to its recipient as new', async () => {
      const mail = { ...nothingMore, body: 'two\nlines', subject: 'new', to: [both.addresses.bob], cc: [] };
      const { message, replayed } = await both.alice.send(mail, chooseNew());
      expect(replayed).toBe(false);
      expect(message).toMatchObject({ subject: 'new', body: 'two\nlines', preview: 'two lines' });
      expect(message.to.map(({ address }) => address)).toEqual([both.addresses.bob]);
      expect(await listed(both.alice, { box: 'sent' })).toContain('new');
      expect(await seen(both.bob, 'new')).toMatchObject({
        ...{ box: 'inbox', read: false, answered: false, archived: false, body: 'two\nlines' },
        sender: { address: both.addresses.alice },
      });
      await Promise.all([both.alice.check(), both.bob.check()]);
    });

    test('is looked at without a trace, and read with one', async () => {
      const { ref } = await toBob('looked at');
      expect((await both.bob.peek(ref, null)).read).toBe(false);
      expect((await both.bob.peek(ref, null)).read).toBe(false);
      expect((await both.bob.read(ref, null)).read).toBe(true);
      expect((await both.bob.peek(ref, null)).read).toBe(true);
      expect(await listed(both.bob, { read: false })).not.toContain('looked at');
      expect(await listed(both.bob, { read: true })).toContain('looked at');
    });

    test('lists the newest first or the oldest, as many as asked for, since then, and headings of the same', async () => {
      const at = (minute: number) => new Date(Date.UTC(2020, 0, 1, 0, minute));
      for (const minute of [2, 0, 3, 1]) {
        const mail = { ...nothingMore, body: 'text', subject: `${minute}`, to: [both.addresses.bob], cc: [] };
        const { message } = await both.alice.send(mail, chooseNew(at(minute)));
        await both.bob.move([message.ref], 'ordered');
      }
      const box = 'ordered';
      const newest = ['3', '2', '1', '0'];
      expect(await listed(both.bob, { box })).toEqual(newest);
      expect(await listed(both.bob, { box, oldestFirst: true })).toEqual([...newest].reverse());
      expect(await listed(both.bob, { box, limit: 2 })).toEqual(['3', '2']);
      expect(await listed(both.bob, { box, limit: 2, oldestFirst: true })).toEqual(['0', '1']);
      expect(await listed(both.bob, { box, since: at(2).getTime() })).toEqual(['3', '2']);
      for (const more of [{}, { oldestFirst: true }, { limit: 3 }]) {
        const { messages } = await both.bob.list(query({ box, ...more }));
        const headings = await both.bob.headings(query({ box, ...more }));
        expect(headings.map(({ ref }) => ref)).toEqual(messages.map(({ ref }) => ref));
        const pieces: MailView[] = [];
        for await (const page of both.bob.pages(query({ box, ...more }))) pieces.push(...page.messages);
        expect(pieces).toEqual(messages);
      }
      const { bodies: _, ...bare } = query({ box, limit: 1 });
      expect((await both.bob.list(bare)).messages).toMatchObject([{ body: null, preview: 'text' }]);
    });

    test('answers to the sender, in the thread, and notes it', async () => {
      const question = await toBob('a question');
      const { message } = await both.bob.reply(question.ref, { ...nothingMore, body: 'yes' }, chooseNew());
      expect(message).toMatchObject({ subject: 'Re: a question', threadRef: question.threadRef });
      expect(await both.bob.peek(question.ref, null)).toMatchObject({ read: true, answered: true });
      expect(await seen(both.alice, 'Re: a question')).toMatchObject({ body: 'yes', read: false });
    });

    test('puts away, takes back and marks', async () => {
      const { ref } = await toBob('put away');
      const [archived] = await both.bob.move([ref], 'archive');
      expect(archived).toMatchObject({ box: 'archive', archived: true, read: true });
      expect(await listed(both.bob)).not.toContain('put away');
      expect(await listed(both.bob, { box: 'archive', archived: true })).toContain('put away');
      const [back] = await both.bob.mark([archived!.ref], { archived: false, read: false, answered: true });
      expect(back).toMatchObject({ box: 'inbox', archived: false, read: false, answered: true });
      expect(await listed(both.bob, { answered: true })).toContain('put away');
    });

    test('changes all or none', async () => {
      const { ref } = await toBob('all or none');
      const alien = (await both.alice.list(query({ box: 'sent' }))).messages[0]!.ref.replace(/.$/, 'x');
      const unknown = alien.replace(/x$/, '0').replace(/[0-9a-f]{12}$/, '000000000000');
      await expect(both.bob.mark([ref, unknown], { read: true })).rejects.toMatchObject({
        code: 'message_unknown',
      });
      await expect(both.bob.move([ref, unknown], 'archive')).rejects.toMatchObject({ name: 'MailFault' });
      expect(await both.bob.peek(ref, null)).toMatchObject({ read: false, box: 'inbox' });
    });

    test('delivers what has one stamp once', async () => {
      const stamp = newStamp();
      const mail = { ...nothingMore, subject: 'stamped', to: [both.addresses.bob], cc: [] };
      const first = await both.alice.send(mail, fixedStamps(stamp));
      const second = await both.alice.send(mail, fixedStamps({ ...stamp, again: true }));
      expect([first.replayed, second.replayed]).toEqual([false, true]);
      expect(second.message.ref).toBe(first.message.ref);
      expect((await listed(both.bob)).filter((subject) => subject === 'stamped')).toHaveLength(1);
      // Chosen before, and never delivered: it is now.
      const late = await both.alice.send(
        { ...mail, subject: 'late' },
        fixedStamps({ ...newStamp(), again: true }),
      );
      expect(late.replayed).toBe(false);
      expect(await listed(both.bob)).toContain('late');
    });

    test('refuses whom it does not know, and delivers to nobody then', async () => {
      const to = [both.addresses.bob, 'nobody@nowhere.invalid'];
      const mail = { ...nothingMore, subject: 'to nobody', to, cc: [] };
      await expect(both.alice.send(mail, chooseNew())).rejects.toMatchObject({ name: 'MailFault' });
      expect(await listed(both.bob)).not.toContain('to nobody');
    });

    test('tells of a damaged message, leaves it out and goes on', async () => {
      const refs = [(await toBob('torn')).ref, (await toBob('whole')).ref];
      await both.bob.move(refs, 'damaged');
      both.damage(refs[0]!);
      const { messages, damaged } = await both.bob.list(query({ box: 'damaged' }));
      expect(messages.map(({ subject }) => subject)).toEqual(['whole']);
      expect(damaged).toEqual([{ ref: refs[0], detail: expect.stringMatching(/./) }]);
      const headings = await both.bob.headings(query({ box: 'damaged' }));
      expect(new Set(headings.map(({ subject }) => subject))).toEqual(new Set(['torn', 'whole']));
      await expect(both.bob.peek(refs[0]!, null)).rejects.toMatchObject({ code: 'message_damaged' });
      await expect(both.bob.read(refs[0]!, null)).rejects.toMatchObject({ code: 'message_damaged' });
      // It is put away all the same, which must not look refused.
      const moved = both.bob.move([refs[0]!], 'put away torn');
      await expect(moved).rejects.toMatchObject({ code: 'state_late', deliveredRef: null });
      expect((await both.bob.list(query({ box: 'put away torn' }))).damaged).toMatchObject([
        { ref: refs[0] },
      ]);
    });

    test('refuses what a mailbox that is held by another program keeps from being done', async () => {
      const { ref } = await toBob('held');
      await both.whileHeld(async ({ alice, bob }) => {
        const locked = { name: 'MailFault', code: 'locked' };
        const mail = { ...nothingMore, subject: 'held back', to: [both.addresses.bob], cc: [] };
        await expect(alice.send(mail, chooseNew())).rejects.toMatchObject(locked);
        await expect(bob.mark([ref], { read: true })).rejects.toMatchObject(locked);
        await expect(bob.move([ref], 'archive')).rejects.toMatchObject(locked);
      });
      expect(await both.bob.peek(ref, null)).toMatchObject({ read: false, box: 'inbox' });
      expect(await listed(both.bob)).not.toContain('held back');
      expect(await listed(both.alice, { box: 'sent' })).not.toContain('held back');
      await toBob('held no more');
      expect((await both.bob.mark([ref], { read: true }))[0]).toMatchObject({ read: true });
    });

    test('tells when mail may have come, and waits while none does', async () => {
      const enough = new AbortController();
      await both.bob.change(enough.signal, 10);
      expect(await both.bob.change(enough.signal, 10)).toBe(false);
      const told = both.bob.change(enough.signal, 20_000);
      await toBob('told of');
      expect(await told).toBe(true);
      while (await both.bob.change(enough.signal, 10));
      const stopped = both.bob.change(enough.signal, 60_000);
      enough.abort();
      expect(await stopped).toBe(false);
    });
  });
}
