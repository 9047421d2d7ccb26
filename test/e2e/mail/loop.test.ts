import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../../support/http.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { standinProgram } from '../../support/test-session.js';
import { usePrivateTmux } from '../recovery/private-tmux.js';

// The whole way: launched with a mailbox, woken by mail, the mail worked through and answered, the other one woken by it.

interface LoopAgent {
  name: string;
  address: string;
  url: string;
}

const tmux = usePrivateTmux();
const folder = mkdtempSync(join(tmpdir(), 'houmao-loop-'));
const environment = managerEnvironment(folder);
const agents: Record<string, LoopAgent> = {};

async function launch(name: string, mode: '--headless' | '--tui'): Promise<LoopAgent> {
  const home = join(folder, name);
  mkdirSync(home);
  const { code, stdout, stderr } = await manage(environment, [
    ...['agents', 'launch', '--tool', 'claude', mode, '--name', name, '--json'],
    ...['--workdir', home, '--home', home, '--executable', standinProgram],
    ...['--mailbox', join(folder, 'mailbox'), '--env', 'HOUMAO_STANDIN_MAIL=1'],
  ]);
  expect([code, stderr]).toEqual([0, '']);
  const url = JSON.parse(stdout).gateway_url;
  const notifier = await call(url, 'PUT', '/v1/mail-notifier', { interval_seconds: 3600 });
  expect(notifier.status).toBe(200);
  return { name, url, address: `${name}@houmao.localhost` };
}

beforeAll(async () => {
  agents.headless = await launch('headless', '--headless');
  agents.terminal = await launch('terminal', '--tui');
});
afterAll(async () => {
  for (const name of ['headless', 'terminal']) await manage(environment, ['agents', 'stop', name]);
  tmux.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const mail = async ({ url }: LoopAgent, operation: string, body: object) => {
  const answer = await call(url, 'POST', `/v1/mail/${operation}`, body);
  expect(answer.status).toBe(200);
  return answer.body;
};

/** The messages of a box about one subject. */
const about = async (agent: LoopAgent, box: string, subject: string) =>
  (await mail(agent, 'list', { box, include_body: true })).messages.filter((message: { subject: string }) =>
    message.subject.endsWith(subject),
  );

/** The turns that the notifier brought about, the oldest first. */
async function wokenTurns({ url }: LoopAgent) {
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
async function isDone(agent: LoopAgent): Promise<boolean> {
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

  expect(await about(asked, 'archive', subject)).toMatchObject([
    { message_ref: sent.message_ref, read: true, answered: true, archived: true },
  ]);
  const reply = {
    ...{ subject: `Re: ${subject}`, thread_ref: sent.thread_ref, sender: { address: asked.address } },
    body_text: `The stand-in has read "${subject}" and has nothing to add.`,
  };
  expect(await about(asked, 'sent', subject)).toMatchObject([reply]);
  expect(await about(asking, 'archive', subject)).toMatchObject([{ ...reply, read: true, answered: false }]);
  for (const agent of [asking, asked]) {
    const turns = await wokenTurns(agent);
    expect(turns).toHaveLength(woken.get(agent) ?? 0);
    expect(turns.at(-1)).toMatchObject({
      ...{ state: 'ended', outcome: 'completed', delivery: { state: 'confirmed' } },
      answer: { text: expect.stringContaining(subject) },
    });
  }
}

test('two agents work through their mail, each woken once by each message', async () => {
  const { headless, terminal } = agents as Record<'headless' | 'terminal', LoopAgent>;
  const both = [headless, terminal] as const;
  const before = new Map<LoopAgent, number>();
  for (const agent of both) before.set(agent, (await wokenTurns(agent)).length);
  const after = (rounds: number) => new Map([...before].map(([agent, count]) => [agent, count + rounds]));
  await oneRound([headless, terminal], 'Review of the parser', after(1));
  // A wake too many of the first round would be counted here.
  await oneRound([terminal, headless], 'Review of the printer', after(2));
});

test('a note of the operator is answered, and one that takes no replies is archived all the same', async () => {
  const { headless } = agents as Record<'headless', LoopAgent>;
  const before = (await wokenTurns(headless)).length;
  await mail(headless, 'post', { subject: 'Resume', body_content: '' });
  await expect.poll(() => about(headless, 'archive', 'Resume')).toMatchObject([{ answered: true }]);
  await expect.poll(() => isDone(headless)).toBe(true);
  await mail(headless, 'post', { subject: 'For your information', body_content: '', reply_policy: 'none' });
  await expect.poll(() => about(headless, 'archive', 'information')).toMatchObject([{ answered: false }]);
  await expect.poll(() => isDone(headless)).toBe(true);
  expect(await wokenTurns(headless)).toHaveLength(before + 2);
});
