import { beforeEach, describe, expect, test } from 'vitest';
import { NotifiedAgent } from '../../../support/mail/notified-agent.js';

let bob: NotifiedAgent;
beforeEach(async () => {
  bob = await NotifiedAgent.start();
});

const inbox = {
  box: 'inbox',
  read: null,
  answered: null,
  archived: null,
  limit: null,
  since: null,
} as const;

describe('new mail', () => {
  test('is reported once: flags that change wake nobody, further mail and the interval do', async () => {
    await bob.enable();
    const ref = await bob.receive('one');
    await bob.prompted(1);
    await bob.finish();
    await bob.whileItLooks(() => bob.mailbox.mark([ref], { answered: true }));
    await bob.receive('two');
    await bob.prompted(2);
    await bob.finish();
    await bob.whileItLooks(() => bob.mailbox.mark([ref], { answered: false }));
    expect(bob.reported).toEqual([['one'], ['one', 'two']]);
    await bob.pass(3600);
    await bob.prompted(3);
  });

  test('that is unread again was reported, also where only unread mail counts', async () => {
    await bob.enable({ mode: 'unread_only' });
    const ref = await bob.receive('one');
    await bob.prompted(1);
    await bob.finish();
    await bob.whileItLooks(() => bob.mailbox.mark([ref], { read: true }));
    await bob.receive('two');
    await bob.prompted(2);
    await bob.finish();
    await bob.whileItLooks(() => bob.mailbox.mark([ref], { read: false }));
    expect(bob.reported).toEqual([['one'], ['two']]);
  });

  test('that comes while the agent is busy is reported as soon as it is free', async () => {
    await bob.enable();
    await bob.queue.prompt('busy');
    await bob.prompted(1);
    await bob.whileItLooks(() => bob.receive('one'));
    expect(bob.reported).toEqual([]);
    bob.queue.target.end();
    await bob.prompted(2);
    expect(bob.reported).toEqual([['one']]);
  });

  test('that comes between the look and the prompt is reported by the next prompt, and by that alone', async () => {
    await bob.enable();
    let late: (() => Promise<unknown>) | null = () => bob.receive('two', 'notice of two');
    // The agent is looked at between the two.
    bob.queue.target.probe = async () => {
      if ((await bob.mailbox.headings(inbox)).length === 0) return;
      const come = late;
      late = null;
      await come?.();
    };
    await bob.receive('one', 'notice of one');
    await bob.prompted(1);
    const [first] = bob.queue.target.started;
    expect(first?.prompt).toContain('> notice of one');
    expect(first?.prompt).not.toContain('notice of two');
    await bob.finish();
    await bob.prompted(2);
    expect(bob.queue.target.started[1]?.prompt).toContain('> notice of two');
    await bob.finish();
    const refs = (await bob.mailbox.headings(inbox)).map(({ ref }) => ref);
    await bob.whileItLooks(() => bob.mailbox.mark(refs, { answered: true }));
    expect(bob.reported).toEqual([['one'], ['one', 'two']]);
  });
});

describe('mail that was there', () => {
  test('before it was switched on waits for the interval; what came after the answer is new', async () => {
    const carol = await NotifiedAgent.make();
    await carol.receive('before');
    await carol.enable();
    await carol.receive('after');
    carol.notifier.loop.start();
    await carol.prompted(1);
    await carol.finish();
    expect(carol.reported).toEqual([['before', 'after']]);
    await carol.pass(3600);
    await carol.prompted(2);
  });

  test('while no gateway served wakes at once when one starts; reported mail waits for the interval', async () => {
    await bob.enable();
    await bob.queue.prompt('busy');
    await bob.prompted(1);
    await bob.whileItLooks(() => bob.receive('reported'));
    // It came some seconds before it was reported to the agent.
    await bob.pass(10);
    bob.queue.target.end();
    await bob.prompted(2);
    await bob.finish();
    await bob.restart(async () => undefined);
    await bob.asleep();
    expect(bob.reported).toEqual([['reported']]);
    await bob.restart(() => bob.receive('while it was down'));
    await bob.prompted(3);
    expect(bob.reported).toEqual([['reported'], ['reported', 'while it was down']]);
    await bob.finish();
    await bob.pass(3600);
    await bob.prompted(4);
  });

  test('while no gateway served is reported as soon as the agent is free, too', async () => {
    await bob.enable();
    await bob.queue.prompt('busy');
    await bob.prompted(1);
    await bob.restart(() => bob.receive('while it was down'));
    await bob.asleep();
    expect(bob.reported).toEqual([]);
    bob.queue.target.end();
    await bob.prompted(2);
    expect(bob.reported).toEqual([['while it was down']]);
  });

  test('before the agent was given another mailbox is known; what came since then, before anybody looked, is new', async () => {
    await bob.enable();
    await bob.receive('before', null, 'carol');
    await bob.pass(1);
    const given = new Date(bob.clock.now().getTime() + 10_000).toISOString();
    for (let times = 0; times < 10; times += 1) await bob.receive(`to nobody ${times}`, null, 'alice');
    await bob.receive('since', null, 'carol');
    bob.manifest.launch_plan.mailbox = bob.binding('carol', given);
    await bob.whileItLooks(() => bob.clock.pass(5000));
    await bob.prompted(1);
    expect(bob.reported).toEqual([['before', 'since']]);
  });

  test('before the mode changed is not new for it, and mail that is not reported yet stays new', async () => {
    const read = await bob.receive('read');
    await bob.mailbox.mark([read], { read: true });
    await bob.enable({ mode: 'unread_only' });
    await bob.whileItLooks(() => bob.enable({ mode: 'any_inbox' }));
    await bob.whileItLooks(() => bob.mailbox.mark([read], { answered: true }));
    await bob.queue.prompt('busy');
    await bob.prompted(1);
    await bob.whileItLooks(() => bob.receive('new'));
    await bob.whileItLooks(() => bob.enable({ mode: 'unread_only' }));
    expect(bob.reported).toEqual([]);
    bob.queue.target.end();
    await bob.prompted(2);
    expect([bob.reported, bob.queue.target.started[0]?.prompt]).toEqual([[['new']], 'busy']);
  });

  test('in another mailbox that the agent was given waits; a new binding of the same changes nothing', async () => {
    await bob.enable();
    await bob.receive('of bob');
    await bob.prompted(1);
    await bob.finish();
    await bob.receive('before', null, 'carol');
    await bob.pass(1);
    // The binding is looked at again after five seconds, which wakes the notifier: no sleep of its own ends by then.
    bob.manifest.launch_plan.mailbox = bob.binding('bob', 'v2');
    await bob.whileItLooks(() => bob.clock.pass(5000));
    bob.manifest.launch_plan.mailbox = bob.binding('carol', 'v3');
    await bob.whileItLooks(() => bob.clock.pass(5000));
    expect(bob.reported).toEqual([['of bob']]);
    await bob.receive('since', null, 'carol');
    await bob.prompted(2);
    expect(bob.reported).toEqual([['of bob'], ['before', 'since']]);
  });
});

describe('a prompt that is not delivered', () => {
  test('leaves its mail unreported: it is reported after a pause, which grows, and last_error says why', async () => {
    await bob.enable();
    bob.queue.target.refusal = { code: 'unavailable', detail: 'No such agent.' };
    const why = expect.stringMatching(/not delivered: No such agent\.$/);
    const failed = async (count: number): Promise<void> => {
      await expect.poll(() => [bob.reported.length, bob.queue.queue.depth]).toEqual([count, 0]);
      await bob.pass(1);
      expect(await bob.lastError()).toEqual(why);
      expect(bob.audit.at(-1)).toMatchObject({ outcome: 'enqueued', detail: why });
    };
    await bob.receive('one');
    await failed(1);
    await bob.pass(1);
    await failed(2);
    bob.queue.target.refusal = null;
    // Two seconds now, whatever happens in the mailbox.
    await bob.whileItLooks(() => bob.receive('two'));
    await bob.pass(1.999);
    expect(bob.reported).toHaveLength(2);
    await bob.pass(0.001);
    await bob.prompted(1);
    expect(bob.reported).toEqual([['one'], ['one'], ['one', 'two']]);
    expect(await bob.lastError()).toBe(null);
    await bob.finish();
    await bob.pass(1);
    await bob.pass(3600);
    await bob.prompted(2);
  });

  test('because it was cancelled leaves its mail to the interval', async () => {
    await bob.enable();
    await bob.queue.worker.stop();
    const ref = await bob.receive('one');
    await expect.poll(() => bob.reported.length).toBe(1);
    await bob.queue.control.cancel(bob.audit.at(-1)?.enqueued_request_id ?? '');
    await bob.pass(1);
    await bob.whileItLooks(() => bob.mailbox.mark([ref], { answered: true }));
    expect(bob.reported).toHaveLength(1);
    await bob.pass(3600);
    expect(bob.reported).toHaveLength(2);
  });

  test('because its mail was gone says so in the audit, and mail that comes back is reported', async () => {
    await bob.enable();
    bob.queue.notices.stale = async () => {
      bob.queue.notices.stale = () => bob.notifier.stale();
      const refs = (await bob.mailbox.headings(inbox)).map(({ ref }) => ref);
      await bob.mailbox.move(refs, 'archive');
      return bob.notifier.stale();
    };
    const ref = await bob.receive('one');
    await expect.poll(() => bob.audit.at(-1)?.outcome).toBe('empty');
    expect(bob.audit).toMatchObject([
      { unread_count: 1, detail: 'The mail was gone from the inbox before the prompt went out.' },
    ]);
    expect(bob.queue.reader.find(bob.audit[0]?.enqueued_request_id ?? '')).toMatchObject({
      not_sent: bob.audit[0]?.detail,
    });
    await bob.pass(1);
    expect([bob.reported.length, bob.queue.target.started]).toEqual([1, []]);
    await bob.mailbox.move([ref], 'inbox');
    await bob.prompted(1);
  });
});

test('a prompt that waits while the notifier is switched off is dropped, and says so', async () => {
  await bob.enable();
  bob.queue.notices.stale = async () => {
    await bob.notifier.service.disable();
    return bob.notifier.stale();
  };
  await bob.receive('one');
  await expect.poll(() => bob.audit.at(-1)?.detail).toContain('switched off before the prompt went out');
  expect(bob.queue.target.started).toEqual([]);
});
