import { existsSync, renameSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AgentTerminal } from '../../../../src/agent/target/agent-terminal.js';
import { noSigns } from '../../../../src/run/running-turn.js';
import { answered } from '../../../support/fake-target.js';
import { NotifiedAgent, subjectsOf } from '../../../support/mail/notified-agent.js';

let bob: NotifiedAgent;
beforeEach(async () => {
  bob = await NotifiedAgent.start();
});

const outcomes = (): string[] => bob.audit.map(({ outcome }) => outcome);

describe('the audit', () => {
  test('has a row of each look at the end of an interval, and none of a change that queued nothing', async () => {
    await bob.enable({ intervalSeconds: 10 });
    const ref = await bob.receive('put away');
    await bob.prompted(1);
    await bob.finish();
    await bob.whileItLooks(() => bob.mailbox.move([ref], 'archive'));
    expect(outcomes()).toEqual(['enqueued']);
    await bob.pass(10);
    expect(outcomes()).toEqual(['enqueued', 'empty']);
  });

  test('names mail that waits once, the newest of much; count and digest are of all', async () => {
    await bob.queue.prompt('busy');
    await bob.prompted(1);
    for (let number = 0; number < 55; number += 1) await bob.receive(`number ${number}`);
    await bob.enable({ intervalSeconds: 10 });
    for (let look = 0; look < 2; look += 1) await bob.pass(10);
    await bob.receive('one more');
    await bob.pass(10);
    expect(bob.audit).toMatchObject(
      [55, 55, 56].map((count) => ({ outcome: 'busy_skip', unread_count: count })),
    );
    const [first, second, third] = bob.audit;
    expect(first && subjectsOf(first)).toHaveLength(50);
    expect(second && subjectsOf(second)).toEqual([]);
    expect(third && subjectsOf(third)).toContain('one more');
    expect(second?.unread_digest).toBe(first?.unread_digest);
  }, 60_000);

  test('a fault anywhere in a look of an interval is in it and in last_error, and the next look tells', async () => {
    await bob.receive('one');
    await bob.enable({ intervalSeconds: 10 });
    const { index } = bob.root.paths;
    // Headings are read before the agent is looked at, messages after that.
    bob.queue.target.probe = async () => {
      if (existsSync(index)) renameSync(index, `${index}.aside`);
    };
    await bob.pass(10);
    expect(bob.audit).toMatchObject([
      { outcome: 'poll_error', unread_count: null, unread_digest: null, detail: await bob.lastError() },
    ]);
    expect(await bob.lastError()).toContain(bob.root.paths.root);
    bob.queue.target.probe = async () => undefined;
    renameSync(`${index}.aside`, index);
    await bob.pass(10);
    await bob.prompted(1);
    expect([outcomes(), await bob.lastError()]).toEqual([['poll_error', 'enqueued'], null]);
  });
});

test('a gateway that serves no mail tells of none: what was queued is dropped, and looks say why', async () => {
  const other = await NotifiedAgent.make('0.0.0.0');
  const why = expect.stringMatching(/127\.0\.0\.1; .+ 0\.0\.0\.0\.$/);
  const { service } = other.notifier;
  expect(await service.enable({ intervalSeconds: 10, notices: {} })).toEqual({ refused: why });
  expect(await service.read()).toMatchObject({ supportError: why, stored: { settings: { enabled: false } } });
  // As an earlier gateway left it.
  other.enableInStore(10);
  other.notifier.loop.start();
  await other.receive('one');
  await other.pass(10);
  expect(other.audit).toMatchObject([{ outcome: 'poll_error', detail: why }]);
  expect(await other.lastError()).toEqual(why);
  expect(await other.notifier.stale()).toMatchObject({ detail: why });
});

describe('a conversation that is compacted first', () => {
  const compact = { preNotificationContextAction: 'compact' } as const;
  const prompts = (): string[] => bob.queue.target.started.map(({ prompt }) => prompt.slice(0, 8));

  beforeEach(() => {
    bob.queue.target.terminal = {
      names: { tool: 'codex' },
      state: { chatContext: 'current', diagnostics: {} },
    } as unknown as AgentTerminal;
  });

  test('is compacted as a turn of its own before each prompt', async () => {
    await bob.enable(compact);
    for (const count of [1, 2]) {
      await bob.receive(`number ${count}`);
      await bob.prompted(2 * count - 1);
      await bob.finish();
      await bob.prompted(2 * count);
      await bob.finish();
    }
    expect(prompts()).toEqual(['/compact', 'You have', '/compact', 'You have']);
    expect(bob.audit.map((row) => row.context_action_outcome)).toEqual(
      ['', ''].map(() => 'pre_notification_compact_completed'),
    );
  });

  test('an agent that has just become busy is no fault of the conversation: it is asked again when it is free', async () => {
    const { target, turns } = bob.queue;
    const resolve = target.resolve.bind(target);
    target.resolve = () => {
      target.resolve = resolve;
      turns
        .begin(bob.queue.order('turn-faster'), { claimed: () => true, ended: () => undefined })
        .catch((error: Error) => bob.queue.faults.push(error.message));
      return resolve();
    };
    await bob.enable(compact);
    await bob.receive('one');
    await bob.prompted(1);
    await bob.asleep();
    expect([bob.audit, await bob.lastError()]).toEqual([[], null]);
    await bob.finish();
    await bob.prompted(2);
    await bob.finish();
    await bob.prompted(3);
    expect(prompts()).toEqual(['p', '/compact', 'You have']);
  });

  test('is not compacted again when somebody was faster with a prompt', async () => {
    await bob.enable(compact);
    await bob.receive('one');
    await bob.prompted(1);
    await bob.queue.prompt('a faster one');
    await bob.finish();
    await bob.prompted(2);
    await bob.asleep();
    expect([bob.audit, await bob.lastError()]).toEqual([[], null]);
    await bob.finish();
    await bob.prompted(3);
    expect(prompts()).toEqual(['/compact', 'a faster', 'You have']);
  });

  test('that could not be compacted is reported in the audit, and tried again after a pause', async () => {
    await bob.enable(compact);
    bob.queue.target.signs = { ...noSigns, exitCode: 1 };
    await bob.receive('one');
    await bob.prompted(1);
    await bob.finish();
    await bob.asleep();
    expect(bob.audit).toMatchObject([
      {
        outcome: 'pre_notification_context_error',
        detail: await bob.lastError(),
        context_action_outcome: 'pre_notification_compact_failed',
      },
    ]);
    await bob.pass(0.999);
    expect(prompts()).toEqual(['/compact']);
    bob.queue.target.signs = answered;
    bob.clock.pass(1);
    await bob.prompted(2);
    await bob.finish();
    await bob.prompted(3);
    expect(prompts()).toEqual(['/compact', '/compact', 'You have']);
  });

  test('a stop of the gateway ends the wait for the terminal', async () => {
    await bob.enable(compact);
    await bob.receive('one');
    await bob.prompted(1);
    const { inspection } = bob.queue.target;
    bob.queue.target.inspection = { ...inspection, surface: 'not_ready', reasons: ['surface'] };
    await bob.finish();
    await bob.asleep();
    await bob.notifier.loop.stop();
    expect([bob.audit, await bob.lastError()]).toEqual([[], null]);
  });
});
