import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call } from '../../support/http.js';
import { addressOf, mailStage } from './mail-stage.js';

const stage = mailStage();
const mailbox = (...args: string[]): string[] => ['agents', 'mailbox', ...args];
const status = () => call(stage.gateway.url, 'GET', '/v1/mail/status');

test('an agent that runs loses its mailbox and gets another one, which its gateway uses at once', async () => {
  const before = await stage.json(mailbox('status', 'alice'));
  expect(before).toMatchObject({
    schema_version: 1,
    registered: true,
    activation_state: 'active',
    runtime_mailbox_enabled: true,
    address: addressOf('alice'),
    mailbox_root: stage.root,
    agent_name: 'HOUMAO-alice',
  });
  const ref = await stage.send('bob', 'alice', 'before');

  const gone = await stage.json(mailbox('unregister', 'alice'));
  expect(gone).toMatchObject({
    address: addressOf('alice'),
    activation_state: 'active',
    shared_unregistration: { ok: true, mode: 'deactivate', resulting_status: 'inactive' },
  });
  expect(await stage.json(mailbox('status', 'alice'))).toMatchObject({
    registered: false,
    activation_state: null,
    runtime_mailbox_enabled: false,
  });
  expect(await status()).toMatchObject({ status: 422 });
  expect(await stage.run(['agents', 'mail', 'list', 'alice'])).toMatchObject({ code: 1, stdout: '' });
  expect(await stage.run(mailbox('unregister', 'alice'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the agent has none'),
  });

  const bound = await stage.json(mailbox('register', 'alice', '--mailbox-root', stage.root));
  expect(bound).toMatchObject({
    address: addressOf('alice'),
    principal_id: 'HOUMAO-alice',
    mailbox_root: stage.root,
    shared_registration: { ok: true, mode: 'safe', reused_existing: true, status: 'active' },
  });
  expect(bound.bindings_version).not.toBe(before.bindings_version);
  const { body } = await status();
  expect(body).toMatchObject({ address: addressOf('alice'), bindings_version: bound.bindings_version });
  expect((await stage.json(['agents', 'mail', 'peek', 'alice', '--message-ref', ref])).message.subject).toBe(
    'before',
  );

  const other = await stage.json(
    mailbox(
      'register',
      'alice',
      '--mailbox-root',
      join(stage.folder, 'another'),
      '--address',
      'a@houmao.localhost',
    ),
  );
  expect(other.address).toBe('a@houmao.localhost');
  expect((await status()).body).toMatchObject({ address: 'a@houmao.localhost' });
  const { agent_id: id } = JSON.parse(readFileSync(stage.alice.paths.manifest, 'utf8'));
  const record = join(stage.folder, 'registry', 'live_agents', id, 'record.json');
  expect(JSON.parse(readFileSync(record, 'utf8')).mailbox).toMatchObject({ address: 'a@houmao.localhost' });
  expect(existsSync(join(stage.folder, 'home', 'skills', 'houmao-agent-email-comms', 'SKILL.md'))).toBe(true);
});

test('the mailbox of another agent is left to it, unless it is to make room', async () => {
  const taken = mailbox(
    'register',
    'bob',
    '--mailbox-root',
    stage.root,
    '--address',
    'taken@houmao.localhost',
  );
  await stage.json([
    'mailbox',
    'register',
    '--mailbox-root',
    stage.root,
    '--address',
    'taken@houmao.localhost',
    '--principal-id',
    'HOUMAO-other',
  ]);
  expect(await stage.run(taken)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is registered for HOUMAO-other'),
  });
  expect((await stage.json(mailbox('status', 'bob'))).address).toBe(addressOf('bob'));
  expect(await stage.run([...taken, '--mode', 'force'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  });
  const stashed = await stage.json([...taken, '--mode', 'stash']);
  expect(stashed).toMatchObject({
    address: 'taken@houmao.localhost',
    principal_id: 'HOUMAO-bob',
    shared_registration: { mode: 'stash', stashed_registration_id: expect.stringMatching(/^reg-/) },
  });
  expect(await stage.run(mailbox('status', 'bob'))).toMatchObject({
    code: 0,
    stdout: `bob has taken@houmao.localhost in ${stage.root}.\n`,
  });
  await stage.json(mailbox('register', 'bob', '--mailbox-root', stage.root));
});
