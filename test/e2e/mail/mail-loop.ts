import { expect } from 'vitest';
import { call } from '../../support/http.js';

// The mail between two agents that work by themselves, each woken by its gateway, and its traces.

export interface LoopAgent {
  name: string;
  address: string;
  url: string;
}

export const mail = async ({ url }: LoopAgent, operation: string, body: object) => {
  const answer = await call(url, 'POST', `/v1/mail/${operation}`, body);
  expect(answer.status).toBe(200);
  return answer.body;
};

/** The messages of a box about one subject. */
export const about = async (agent: LoopAgent, box: string, subject: string) =>
  (await mail(agent, 'list', { box, include_body: true })).messages.filter((message: { subject: string }) =>
    message.subject.endsWith(subject),
  );

/** The turns that the notifier brought about, the oldest first. */
export async function wokenTurns({ url }: LoopAgent) {
  const { events } = (await call(url, 'GET', '/v1/events?limit=200')).body;
  const claimed = events.filter(
    ({ kind, data }: { kind: string; data: { origin?: string } }) =>
      kind === 'turn_claimed' && data.origin === 'notifier',
  );
  return Promise.all(
    claimed.map(
      async ({ data }: { data: { turn_id: string } }) =>
        (await call(url, 'GET', `/v1/turns/${data.turn_id}`)).body,
    ),
  );
}

/** Nothing runs, nothing waits, and no mail is left to deal with. */
export async function isDone(agent: LoopAgent): Promise<boolean> {
  const { body } = await call(agent.url, 'GET', '/v1/status');
  const { message_count: left } = await mail(agent, 'list', { box: 'inbox' });
  return body.active_execution === 'idle' && body.queue_depth === 0 && left === 0;
}

/** One agent asks, the other one answers; both have been woken for it, at the end as often as is said. */
async function oneRound(
  [asking, asked]: readonly [LoopAgent, LoopAgent],
  subject: string,
  woken: ReadonlyMap<LoopAgent, number>,
) {
  const question = { to: [asked.address], subject, body_content: 'Is it right?' };
  const { message: sent } = await mail(asking, 'send', question);

  await expect.poll(() => about(asking, 'archive', subject)).toHaveLength(1);
  await expect.poll(async () => (await isDone(asking)) && (await isDone(asked))).toBe(true);

  const received = await about(asked, 'archive', subject);
  expect(received).toMatchObject([
    {
      read: true,
      answered: true,
      archived: true,
      sender: { address: asking.address },
      // Those who share a folder have one message, those on a mail server one each.
      ...(sent.message_ref.startsWith('filesystem:') && { message_ref: sent.message_ref }),
    },
  ]);
  const reply = {
    subject: `Re: ${subject}`,
    sender: { address: asked.address },
    body_text: `The stand-in has read "${subject}" and has nothing to add.`,
  };
  expect(await about(asked, 'sent', subject)).toMatchObject([
    { ...reply, thread_ref: received[0].thread_ref },
  ]);
  expect(await about(asking, 'archive', subject)).toMatchObject([
    { ...reply, thread_ref: sent.thread_ref, read: true, answered: false },
  ]);
  for (const agent of [asking, asked]) {
    const turns = await wokenTurns(agent);
    expect(turns).toHaveLength(woken.get(agent) ?? 0);
    expect(turns.at(-1)).toMatchObject({
      state: 'ended',
      outcome: 'completed',
      delivery: { state: 'confirmed' },
      answer: { text: expect.stringContaining(subject) },
    });
  }
}

/** Each asks the other one; an agent that was woken once too often in the first round is found out in the second. */
export async function twoRounds(one: LoopAgent, other: LoopAgent): Promise<void> {
  const before = new Map<LoopAgent, number>();
  for (const agent of [one, other]) before.set(agent, (await wokenTurns(agent)).length);
  const after = (rounds: number) => new Map([...before].map(([agent, count]) => [agent, count + rounds]));
  await oneRound([one, other], 'Review of the parser', after(1));
  await oneRound([other, one], 'Review of the printer', after(2));
}
