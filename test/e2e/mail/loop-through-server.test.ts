import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../../support/http.js';
import { hostIn } from '../../support/launch-host.js';
import { type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { standinProgram } from '../../support/test-session.js';
import { usePrivateTmux } from '../recovery/private-tmux.js';

// The same as in loop.test.ts, and nobody knows where a gateway is: all of it goes through the server.

const tmux = usePrivateTmux();
const folder = mkdtempSync(join(tmpdir(), 'houmao-loop-'));
const environment = managerEnvironment(folder);
const names = ['headless', 'terminal'] as const;
type Name = (typeof names)[number];
let server: ServerProcess;

const addressOf = (name: Name): string => `${name}@houmao.localhost`;

/** Asks the server for something of an agent. @returns the body of its success. */
async function ask(name: Name, method: string, path: string, body?: unknown) {
  const answer = await server.ask(method, `/houmao/agents/${name}${path}`, body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

async function launch(name: Name): Promise<void> {
  const home = join(folder, name);
  mkdirSync(home);
  const { code, stderr } = await manage(environment, [
    ...['agents', 'launch', '--tool', 'claude', name === 'terminal' ? '--tui' : '--headless'],
    ...['--name', name, '--no-gateway', '--json', '--workdir', home, '--home', home],
    ...['--executable', standinProgram],
    ...['--mailbox', join(folder, 'mailbox'), '--env', 'HOUMAO_STANDIN_MAIL=1'],
  ]);
  expect([code, stderr]).toEqual([0, '']);
}

beforeAll(async () => {
  for (const name of names) await launch(name);
  const { TMUX_TMPDIR } = process.env;
  server = await startManagedServer(hostIn(folder, { TMUX_TMPDIR }), folder);
  for (const name of names) {
    expect(await ask(name, 'POST', '/gateway/attach')).toMatchObject({ gateway_health: 'healthy' });
    await ask(name, 'PUT', '/gateway/mail-notifier', { interval_seconds: 3600 });
  }
});
afterAll(async () => {
  for (const name of names) await manage(environment, ['agents', 'stop', name]);
  await server.stop();
  tmux.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The messages of a box about one subject. */
const about = async (name: Name, box: string, subject: string) =>
  (await ask(name, 'POST', '/mail/list', { box, include_body: true })).messages.filter(
    (message: { subject: string }) => message.subject.endsWith(subject),
  );

/** The turns that the notifier brought about. */
async function wokenTurns(name: Name): Promise<string[]> {
  const { events } = await ask(name, 'GET', '/gateway/events?limit=200');
  return events
    .filter(
      ({ kind, data }: { kind: string; data: { origin?: string } }) =>
        kind === 'turn_claimed' && data.origin === 'notifier',
    )
    .map(({ data }: { data: { turn_id: string } }) => data.turn_id);
}

/** Nothing runs, nothing waits, and no mail is left to deal with. */
async function isDone(name: Name): Promise<boolean> {
  const status = await ask(name, 'GET', '/gateway');
  const { message_count: left } = await ask(name, 'POST', '/mail/check', {});
  return status.active_execution === 'idle' && status.queue_depth === 0 && left === 0;
}

test.each([
  ['headless', 'terminal'],
  ['terminal', 'headless'],
] as const)('%s asks, %s is woken and answers, and the answer wakes who asked', async (asking, asked) => {
  const subject = `Review for ${asking}`;
  const before = { asking: await wokenTurns(asking), asked: await wokenTurns(asked) };
  const { message: sent } = await ask(asking, 'POST', '/mail/send', {
    to: [addressOf(asked)],
    subject,
    body_content: 'Is it right?',
  });

  await expect.poll(() => about(asking, 'archive', subject)).toHaveLength(1);
  await expect.poll(async () => (await isDone(asking)) && (await isDone(asked))).toBe(true);

  expect(await about(asked, 'archive', subject)).toMatchObject([
    { message_ref: sent.message_ref, read: true, answered: true, archived: true },
  ]);
  expect(await about(asking, 'archive', subject)).toMatchObject([
    {
      subject: `Re: ${subject}`,
      thread_ref: sent.thread_ref,
      read: true,
      sender: { address: addressOf(asked) },
    },
  ]);
  for (const [name, already] of [
    [asking, before.asking],
    [asked, before.asked],
  ] as const) {
    const woken = await wokenTurns(name);
    expect(woken).toHaveLength(already.length + 1);
    const turn = await ask(name, 'GET', `/gateway/turns/${woken.at(-1)}?wait_seconds=30`);
    expect(turn).toMatchObject({ state: 'ended', outcome: 'completed', origin: 'notifier' });
    expect(turn.answer.text).toContain(subject);
  }
});

test('the terminal is seen and typed into through the server', async () => {
  await expect.poll(() => isDone('terminal')).toBe(true);
  const { url } = server;
  const state = await ask('terminal', 'GET', '/gateway/tui/state');
  expect(state).toMatchObject({
    diagnostics: { process_state: 'tui_up' },
    tracked_session: { tool: 'claude' },
  });
  expect((await ask('terminal', 'GET', '/gateway/tui/history?limit=2')).entries).toHaveLength(2);
  const typed = await ask('terminal', 'POST', '/gateway/control/send-keys', { sequence: 'x<[BSpace]>' });
  expect(typed).toMatchObject({ status: 'ok', action: 'control_input' });
  const headless = await call(url, 'GET', '/houmao/agents/terminal/gateway/control/headless/state');
  expect(headless).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('local_interactive') },
  });
});
