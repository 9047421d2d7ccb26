import { expect } from 'vitest';
import type { ServerAgent } from './server-agent.js';

/** Mail of people for an agent on a mail server, and how often it was woken. */
export function serverWakes(it: ServerAgent) {
  const wakeUps = async (): Promise<number> => {
    const { body } = await it.agent.ask('GET', '/v1/requests?limit=200');
    return body.requests.filter(
      ({ request_kind: kind }: { request_kind: string }) => kind === 'mail_notifier_prompt',
    ).length;
  };
  /** A message of a person, which no agent has sent. */
  const comes = async (subject: string): Promise<void> => {
    const raw = `From: Ann <ann@world.test>\nTo: ${it.address}\nSubject: ${subject}\n\nHello.\n`;
    expect(await it.server.deliver('ann@world.test', [it.address], raw)).toMatchObject({
      [it.address]: expect.stringMatching(/^2/),
    });
  };
  /** That it wakes the agent once. */
  const wakes = async (work: () => Promise<void>): Promise<void> => {
    const before = await wakeUps();
    await work();
    await expect.poll(wakeUps, { timeout: 30_000, interval: 20 }).toBe(before + 1);
    // The mail behind it has been looked at when mail of our own doing is in the list.
    await it.agent.mail('post', { subject: `behind ${before}`, body_content: '', reply_policy: 'none' });
    await expect.poll(wakeUps, { timeout: 30_000, interval: 20 }).toBe(before + 2);
  };
  /** Waits until its mailbox says that. */
  const isSaid = (words: RegExp): Promise<void> =>
    expect.poll(async () => (await it.agent.mail('status')).body.detail, { timeout: 20_000 }).toMatch(words);
  return { comes, wakes, isSaid };
}
