import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/foundation/clock.js';
import { stopGroup } from '../../../src/run/end-processes.js';
import { forceLadder, interruptLadder } from '../../../src/run/running-turn.js';

/** An agent that ends at a signal; time passes at once. */
function agent(endsAt: string | null, answer: (signal: string) => boolean = () => true) {
  const sent: string[] = [];
  const slept: number[] = [];
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const clock: Clock = {
    now: () => new Date(0),
    monotonic: () => 0,
    sleep: async (ms) => {
      slept.push(ms);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const send = (signal: NodeJS.Signals): boolean => {
    sent.push(signal);
    if (signal === endsAt) end();
    return answer(signal);
  };
  return { sent, slept, ended, end: () => end(), clock, send };
}

describe('ending a turn step by step', () => {
  it.each([
    ['SIGINT', ['SIGINT'], [5000]],
    ['SIGTERM', ['SIGINT', 'SIGTERM'], [5000, 5000]],
    ['SIGKILL', ['SIGINT', 'SIGTERM', 'SIGKILL'], [5000, 5000, 5000]],
  ])('an agent that heeds %s gets no stronger one', async (endsAt, sent, slept) => {
    const one = agent(endsAt);
    expect(await stopGroup(one.send, one.ended, interruptLadder, one.clock)).toEqual({
      outcome: 'stopped',
      signal: endsAt,
    });
    expect([one.sent, one.slept]).toEqual([sent, slept]);
  });

  it('a forced prompt waits a second per step', async () => {
    const one = agent('SIGTERM');
    await stopGroup(one.send, one.ended, forceLadder, one.clock);
    expect(one.slept).toEqual([1000, 1000]);
  });

  it('a turn that nothing reached ended by itself', async () => {
    const one = agent('SIGINT', () => false);
    expect(await stopGroup(one.send, one.ended, interruptLadder, one.clock)).toEqual({ outcome: 'no_op' });
  });

  it('a signal that is not permitted does not end the climb', async () => {
    const one = agent('SIGKILL', (signal) => {
      if (signal !== 'SIGKILL') throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
      return true;
    });
    expect(await stopGroup(one.send, one.ended, interruptLadder, one.clock)).toEqual({
      outcome: 'stopped',
      signal: 'SIGKILL',
    });
    expect(one.sent).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL']);
  });

  it('waits for the end even when the ladder is climbed', async () => {
    const one = agent(null);
    let over = false;
    const stopping = stopGroup(one.send, one.ended, interruptLadder, one.clock).then((strongest) => {
      over = true;
      return strongest;
    });
    for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect([one.sent.length, over]).toEqual([3, false]);
    one.end();
    expect(await stopping).toEqual({ outcome: 'stopped', signal: 'SIGKILL' });
  });
});
