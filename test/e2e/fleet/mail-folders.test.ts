// The mail folders of a host: several of them, one that is damaged, and those of agents that have stopped.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { launchBody, prepare } from '../../support/brain.js';
import { fleetEngine } from '../../support/fleet/engine.js';
import { type FleetHost, fleetHosts, knows } from '../../support/fleet/hosts.js';
import { call } from '../../support/http.js';
import { listOf, openRoot } from '../../support/mail/mail-root.js';
import { ownTmux } from '../../support/own-tmux.js';

const tmux = ownTmux();

/** Launches an agent with a mailbox in a folder of its own. @returns the folder */
async function launchWithMail(
  { session, ask }: FleetHost,
  name: string,
  root = join(session.folder, `mail-of-${name}`),
): Promise<string> {
  const { status, body } = await ask('POST', '/houmao/agents/headless/launches', {
    ...launchBody(prepare(session.folder).requested),
    agent_name: name,
    mailbox: { transport: 'filesystem', filesystem_root: root },
  });
  expect({ status, detail: body.detail }).toMatchObject({ status: 200 });
  return root;
}

const subjectsIn = async (root: string, name: string): Promise<string[]> =>
  (await listOf(openRoot(root), name)).items.map(({ message }) => message.subject);

test('mail comes to each folder of a host, past one that is damaged, and to the mailboxes of agents that have stopped', {
  timeout: 240_000,
}, async () => {
  const engine = fleetEngine('ws1', 'ws2');
  await engine.start();
  const start = fleetHosts(engine);
  const ws1 = await start('ws1', { agent: 'writer', mail: true });
  const ws2 = await start('ws2', { agent: 'reviewer', mail: true, tmux });
  await knows(ws1, 'ws1', 'ws2');
  const carrier = join(ws1.session.folder, 'mail', 'fleet.json');
  await expect.poll(() => JSON.parse(readFileSync(carrier, 'utf8')).hosts).toEqual(['ws2']);
  const send = async (names: string[], subject: string): Promise<void> => {
    const to = names.map((name) => `${name}@ws2.houmao.localhost`);
    const mail = { to, subject, body_content: 'Is it right?' };
    const { status, body } = await call(ws1.gateway.url, 'POST', '/v1/mail/send', mail);
    expect({ status, detail: body.detail }).toMatchObject({ status: 200 });
  };
  const reviewers = join(ws2.session.folder, 'mail');

  // An agent that was launched a moment ago has its mail.
  const extras = await launchWithMail(ws2, 'extra');
  await send(['reviewer', 'extra'], 'to both');
  await expect.poll(() => subjectsIn(extras, 'extra')).toEqual(['to both']);
  await expect.poll(() => subjectsIn(reviewers, 'reviewer')).toEqual(['to both']);

  const index = join(reviewers, 'index.sqlite');
  renameSync(index, `${index}.away`);
  await send(['reviewer', 'extra'], 'while one is damaged');
  await expect.poll(() => subjectsIn(extras, 'extra')).toContain('while one is damaged');
  await expect.poll(() => ws2.server.stderr()).toContain(reviewers);
  renameSync(`${index}.away`, index);
  await expect
    .poll(() => subjectsIn(reviewers, 'reviewer'), { timeout: 60_000 })
    .toContain('while one is damaged');

  expect((await ws2.ask('POST', '/houmao/agents/extra/stop')).status).toBe(200);
  await expect.poll(async () => (await ws2.ask('GET', '/houmao/agents/extra')).status).toBe(404);
  await send(['extra'], 'to one that has stopped');
  await expect.poll(() => subjectsIn(extras, 'extra')).toContain('to one that has stopped');

  // As a writer leaves it that is killed. As root SQLite touches it at each look.
  const waiting = join(ws1.session.folder, 'mail', 'mailboxes', 'reviewer@ws2.houmao.localhost');
  writeFileSync(join(waiting, 'mailbox.sqlite-journal'), Buffer.alloc(512));
  await send(['extra'], 'beside the journal of a killed writer');
  await expect.poll(() => subjectsIn(extras, 'extra')).toContain('beside the journal of a killed writer');
  await ws2.away();
  await send(['extra'], 'after a new start');
  await ws2.back();
  await expect.poll(() => subjectsIn(extras, 'extra')).toContain('after a new start');
  expect(await subjectsIn(join(ws1.session.folder, 'mail'), 'writer')).toEqual([]);
});

test('a folder of two servers has its mail carried by one of them, and by the other once that has ended', {
  timeout: 240_000,
}, async () => {
  const engine = fleetEngine('ws1', 'ws2', 'ws3');
  await engine.start();
  const start = fleetHosts(engine);
  const ws1 = await start('ws1', { agent: 'writer', mail: true });
  const shared = join(ws1.session.folder, 'mail');
  const carrier = (): string => JSON.parse(readFileSync(join(shared, 'fleet.json'), 'utf8')).host;
  await expect.poll(() => existsSync(join(shared, 'fleet.json'))).toBe(true);
  const ws2 = await start('ws2', { tmux });
  const ws3 = await start('ws3', { agent: 'reviewer', mail: true });
  await launchWithMail(ws2, 'second', shared);
  expect((await ws2.ask('POST', '/houmao/agents/second/gateway/attach')).status).toBe(200);
  await knows(ws1, 'ws1', 'ws2', 'ws3');
  await expect.poll(() => ws2.server.stderr()).toContain(`${shared} is not carried`);
  expect(carrier()).toBe('ws1');

  const send = async (subject: string): Promise<void> => {
    const mail = { to: ['reviewer@ws3.houmao.localhost'], subject, body_content: 'Is it right?' };
    const path = '/houmao/agents/second/mail/send';
    await expect.poll(async () => (await ws2.ask('POST', path, mail)).status).toBe(200);
  };
  const reviewers = join(ws3.session.folder, 'mail');
  await send('carried by the first');
  await expect.poll(() => subjectsIn(reviewers, 'reviewer')).toEqual(['carried by the first']);
  await ws1.away();
  await expect.poll(carrier, { timeout: 60_000 }).toBe('ws2');
  await send('carried by the second');
  await expect.poll(() => subjectsIn(reviewers, 'reviewer')).toContain('carried by the second');
});
