import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fixedStamps } from '../../../src/mail/facade/mail-facade.js';
import type { MailFaultCode } from '../../../src/mail/message/mail-fault.js';
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
  /** Of no message, and as those of messages are. */
  unknownRef: string;
  /**
   * A message that also goes to a person who is not there is refused, or it is sent and its sender learns so by mail.
   */
  strangers: 'refused' | 'returned';
  /** Lets a message come to Bob that counts as having come then. @returns its reference in his mailbox. */
  comeToBob(subject: string, at: Date): Promise<string>;
  /**
   * Does work while nothing can be done with Bob's mailbox, with transports that soon lose patience; `code` is that of the fault.
   */
  whileAway(
    work: (both: Pick<TwoMailboxes, 'alice' | 'bob'> & { code: MailFaultCode }) => Promise<void>,
  ): Promise<void>;
  close(): Promise<void>;
}

const nothingMore: OutgoingMail = { body: '', attachments: [], notifyBlock: null, notifyAuth: null };

const newStamp = (now = new Date()): MessageStamp => ({
  messageId: newMessageId(now),
  at: now.getTime(),
  again: false,
});

const chooseNew = (now?: Date): MessageStamps => fixedStamps(newStamp(now));

const query = (more: Partial<MailQuery> = {}): MailQuery => ({
  box: 'inbox',
  read: null,
  answered: null,
  archived: null,
  limit: null,
  since: null,
  bodies: true,
  ...more,
});

/** The tests of every place that keeps mail. They run in any order, so each looks for its own messages only. */
export function testMailTransport(name: string, open: () => Promise<TwoMailboxes>): void {
  describe(`the mail transport ${name}`, () => {
    let both: TwoMailboxes;
    beforeAll(async () => {
      both = await open();
    });
    afterAll(() => both.close());

    const toBob = async (subject: string, body = ''): Promise<MailView> => {
      const mail = { ...nothingMore, body, subject, to: [both.addresses.bob], cc: [] };
      await both.alice.send(mail, chooseNew());
      return arrived(both.bob, subject);
    };
    const listed = async (transport: MailTransport, more: Partial<MailQuery> = {}): Promise<string[]> =>
      (await transport.list(query(more))).messages.map(({ subject }) => subject);
    /** Each mailbox has a name of its own for a message. It may be on its way for a while. */
    const arrived = (
      transport: MailTransport,
      is: string | ((view: MailView) => boolean),
    ): Promise<MailView> =>
      vi.waitFor(
        async () => {
          const { messages } = await transport.list(query());
          const isIt = typeof is === 'string' ? ({ subject }: MailView) => subject === is : is;
          return messages.find(isIt) ?? expect.fail(`${is} is not there`);
        },
        { timeout: 20_000, interval: 20 },
      );
    /** The mail that came to Bob before a message that is sent now. */
    const untilNow = async (): Promise<string[]> => {
      await toBob(`until ${newStamp().messageId}`);
      return listed(both.bob);
    };

    test('shows a message to its sender as sent, and to its recipient as new', async () => {
      const mail = { ...nothingMore, body: 'two\nlines', subject: 'new', to: [both.addresses.bob], cc: [] };
      const { message, replayed } = await both.alice.send(mail, chooseNew());
      expect(replayed).toBe(false);
      expect(message).toMatchObject({ subject: 'new', body: 'two\nlines', preview: 'two lines' });
      expect(message.to.map(({ address }) => address)).toEqual([both.addresses.bob]);
      expect(await listed(both.alice, { box: 'sent' })).toContain('new');
      expect(await arrived(both.bob, 'new')).toMatchObject({
        box: 'inbox',
        read: false,
        answered: false,
        archived: false,
        body: 'two\nlines',
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
      for (const minute of [2, 0, 3, 1])
        await both.bob.move([await both.comeToBob(`${minute}`, at(minute))], 'ordered');
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
      expect((await both.bob.list(bare)).messages).toMatchObject([{ body: null, preview: 'text 3' }]);
    });

    test('answers to the sender, in the thread, and notes it', async () => {
      const question = await toBob('a question');
      const { message } = await both.bob.reply(question.ref, { ...nothingMore, body: 'yes' }, chooseNew());
      expect(message).toMatchObject({ subject: 'Re: a question', threadRef: question.threadRef });
      expect(await both.bob.peek(question.ref, null)).toMatchObject({ read: true, answered: true });
      expect(await arrived(both.alice, 'Re: a question')).toMatchObject({ body: 'yes', read: false });
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
      for (const refs of [
        [ref, both.unknownRef],
        [both.unknownRef, ref],
      ]) {
        const unknown = { name: 'MailFault', code: 'message_unknown' };
        await expect(both.bob.mark(refs, { read: true })).rejects.toMatchObject(unknown);
        await expect(both.bob.move(refs, 'archive')).rejects.toMatchObject(unknown);
      }
      await expect(both.bob.peek(both.unknownRef, null)).rejects.toMatchObject({ code: 'message_unknown' });
      expect(await both.bob.peek(ref, null)).toMatchObject({ read: false, box: 'inbox' });
    });

    test('delivers what has one stamp once', async () => {
      const stamp = newStamp();
      const mail = { ...nothingMore, subject: 'stamped', to: [both.addresses.bob], cc: [] };
      const first = await both.alice.send(mail, fixedStamps(stamp));
      const second = await both.alice.send(mail, fixedStamps({ ...stamp, again: true }));
      expect([first.replayed, second.replayed]).toEqual([false, true]);
      expect(second.message.ref).toBe(first.message.ref);
      expect((await untilNow()).filter((subject) => subject === 'stamped')).toHaveLength(1);
      // Chosen before, and never delivered: it is now.
      const late = await both.alice.send(
        { ...mail, subject: 'late' },
        fixedStamps({ ...newStamp(), again: true }),
      );
      expect(late.replayed).toBe(false);
      expect(await untilNow()).toContain('late');
    });

    test('tells of whom it does not know', async () => {
      const to = [both.addresses.bob, 'nobody@nowhere.invalid'];
      const mail = { ...nothingMore, subject: 'to nobody', to, cc: [] };
      if (both.strangers === 'returned') {
        await both.alice.send(mail, chooseNew());
        expect(await arrived(both.bob, 'to nobody')).toMatchObject({
          to: to.map((address) => ({ address })),
        });
        await arrived(both.alice, ({ body }) => body?.includes('nobody@nowhere.invalid') ?? false);
        return;
      }
      await expect(both.alice.send(mail, chooseNew())).rejects.toMatchObject({ name: 'MailFault' });
      expect(await untilNow()).not.toContain('to nobody');
      for (const box of ['sent', 'drafts'])
        expect(await listed(both.alice, { box })).not.toContain('to nobody');
    });

    test('refuses what cannot be done while a mailbox is away, and does nothing of it later', async () => {
      const { ref } = await toBob('away');
      await both.whileAway(async ({ alice, bob, code }) => {
        const fault = { name: 'MailFault', code };
        const mail = { ...nothingMore, subject: 'held back', to: [both.addresses.bob], cc: [] };
        await expect(alice.send(mail, chooseNew())).rejects.toMatchObject(fault);
        await expect(bob.mark([ref], { read: true })).rejects.toMatchObject(fault);
        await expect(bob.move([ref], 'archive')).rejects.toMatchObject(fault);
      });
      expect(await both.bob.peek(ref, null)).toMatchObject({ read: false, box: 'inbox' });
      expect(await untilNow()).not.toContain('held back');
      expect(await listed(both.alice, { box: 'sent' })).not.toContain('held back');
      expect((await both.bob.mark([ref], { read: true }))[0]).toMatchObject({ read: true });
    });

    test('tells when mail may have come, and waits while none does', async () => {
      const enough = new AbortController();
      await both.bob.change(enough.signal, 10);
      expect(await both.bob.change(enough.signal, 10)).toBe(false);
      const reported = both.bob.change(enough.signal, 20_000);
      await toBob('reported');
      expect(await reported).toBe(true);
      await expect.poll(() => both.bob.change(enough.signal, 10)).toBe(false);
      const stopped = both.bob.change(enough.signal, 60_000);
      enough.abort();
      expect(await stopped).toBe(false);
    });
  });
}
