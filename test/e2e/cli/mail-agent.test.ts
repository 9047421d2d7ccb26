// The agent whose mail is meant, where that mailbox is, and the notifier beside it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeSession } from '../../support/test-session.js';
import { addressOf, mailStage } from './mail-stage.js';

const stage = mailStage();
const addressAt = async (args: string[], environment: NodeJS.ProcessEnv = {}): Promise<string> =>
  (await stage.json([...args, 'status'], '', environment)).address;
const idOf = async (name: string): Promise<string> => {
  const { agents } = await stage.json(['agents', 'list']);
  return agents.find((one: { agent_name: string }) => one.agent_name === `HOUMAO-${name}`).agent_id;
};

describe('whose mail', () => {
  test('is said by a name, an id, or an option before or behind the command', async () => {
    const id = await idOf('bob');
    const { address } = await stage.json(['agents', 'mail', 'status', id]);
    expect(address).toBe(addressOf('bob'));
    expect(await addressAt(['agents', 'mail', '--agent-name', 'bob'])).toBe(addressOf('bob'));
    expect(await addressAt(['agents', 'single', '--agent-name', 'bob', 'mail'])).toBe(addressOf('bob'));
    expect(await addressAt(['agents', 'single', '--agent-id', id, 'mail'])).toBe(addressOf('bob'));
    const behind = await stage.json(['agents', 'mail', 'status', '--agent-id', id]);
    expect(behind.address).toBe(addressOf('bob'));
  });

  test('is that of the agent in whose session the program runs, where nobody is named', async () => {
    const inside = { HOUMAO_MANIFEST_PATH: stage.bob.paths.manifest };
    for (const command of [
      ['agents', 'mail'],
      ['agents', 'self', 'mail'],
      ['agents', 'single', 'mail'],
    ])
      expect(await addressAt(command, inside)).toBe(addressOf('bob'));
    const known = {
      HOUMAO_MANIFEST_PATH: join(stage.folder, 'gone/manifest.json'),
      HOUMAO_AGENT_ID: await idOf('bob'),
    };
    expect(await addressAt(['agents', 'self', 'mail'], known)).toBe(addressOf('bob'));
    const { address } = await stage.json(['agents', 'mail', 'status', 'alice'], '', inside);
    expect(address).toBe(addressOf('alice'));
  });

  test.each([
    [['agents', 'mail', 'status'], 2, 'Which agent? Give its name. '],
    [['agents', 'self', 'mail', 'status'], 2, 'houmao-mgr agents single --agent-name <name> …'],
    [['agents', 'single', 'mail', 'status'], 2, 'Which agent? Give --agent-name or --agent-id'],
    [['agents', 'mail', 'status', 'nobody'], 5, 'No agent is named nobody. Agents: alice'],
    [['agents', 'single', '--agent-name', 'nobody', 'mail', 'status'], 5, 'No agent is named nobody'],
    [
      ['agents', 'single', '--agent-id', 'alice', 'mail', 'status'],
      2,
      'alice is the name of an agent, not an id',
    ],
    [['agents', 'mail', 'status', 'alice', '--agent-name', 'bob'], 2, 'Name the agent once'],
    [['agents', 'mail', 'status', '--agent-name', 'bob', '--agent-id', 'x'], 2, 'cannot be used with'],
    [['agents', 'self', 'mail', 'status', 'alice'], 2, 'Too many arguments'],
    [['agents', 'self', '--agent-name', 'alice', 'mail', 'status'], 2, 'Unknown option'],
    [['agents', 'mail', 'dance', 'alice'], 2, "Unknown command 'dance'"],
  ])('%j is refused in a sentence', async (args, code, text) => {
    const ran = await stage.run(args);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(text);
    expect(ran.stderr).not.toMatch(/ at .*\.js:\d+/);
  });

  test('an agent without a mailbox is reported so on both ways', async () => {
    await makeSession({ name: 'carol', folder: stage.folder });
    for (const command of ['status', 'resolve-live'])
      expect(await stage.run(['agents', 'mail', command, 'carol'])).toMatchObject({
        code: 1,
        stdout: '',
        stderr:
          'houmao-mgr: carol has no mailbox. ' +
          'Give it one: houmao-mgr agents mailbox register carol --mailbox-root <root>\n',
      });
  });
});

describe('resolve-live', () => {
  test('names mailbox, gateway and agent', async () => {
    const id = await idOf('alice');
    const binding = {
      transport: 'filesystem',
      principal_id: 'HOUMAO-alice',
      address: addressOf('alice'),
      bindings_version: expect.stringMatching(/^\d{4}-.*Z$/),
    };
    const folder = join(stage.root, 'mailboxes', addressOf('alice'));
    const { paths } = stage.alice;
    const live = {
      schema_version: 1,
      source: 'manifest_binding',
      ...binding,
      mailbox: {
        ...binding,
        filesystem: {
          root: stage.root,
          mailbox_kind: 'in_root',
          mailbox_path: folder,
          inbox_path: join(folder, 'inbox'),
          sqlite_path: join(stage.root, 'index.sqlite'),
          local_sqlite_path: join(folder, 'mailbox.sqlite'),
        },
      },
      gateway: {
        source: 'current_instance_record',
        host: '127.0.0.1',
        port: stage.gateway.port,
        base_url: stage.gateway.url,
        protocol_version: 'v1',
        state_path: paths.state,
      },
      gateway_available: true,
      managed_agent: {
        mode: 'local',
        agent_ref: id,
        tracked_agent_id: paths.root.split('/').at(-1),
        agent_name: 'HOUMAO-alice',
        agent_id: id,
        tmux_session_name: null,
      },
    };
    expect(await stage.json(['agents', 'mail', 'resolve-live', 'alice'])).toEqual(live);
    const plain = await stage.run(['agents', 'mail', 'resolve-live', 'alice']);
    expect(JSON.parse(plain.stdout)).toEqual(live);
    const inside = { HOUMAO_MANIFEST_PATH: paths.manifest };
    expect(await stage.json(['agents', 'self', 'mail', 'resolve-live'], '', inside)).toEqual(live);
  });

  test('without a gateway has none, and says where the mailbox is all the same', async () => {
    expect(await stage.json(['agents', 'mail', 'resolve-live', 'bob'])).toMatchObject({
      gateway: null,
      gateway_available: false,
      mailbox: { filesystem: { mailbox_path: join(stage.root, 'mailboxes', addressOf('bob')) } },
    });
  });

  test('fails where the address has no active mailbox any more', async () => {
    const mailbox = { root: stage.root, address: null, principalId: null };
    await makeSession({ name: 'dora', folder: stage.folder, mailbox });
    await stage.json([
      ...['mailbox', 'unregister', '--mailbox-root', stage.root, '--address', addressOf('dora')],
    ]);
    expect(await stage.run(['agents', 'mail', 'resolve-live', 'dora'])).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('only inactive'),
    });
  });
});

describe('the notifier', () => {
  const notifier = (command: string, ...args: string[]) =>
    stage.json(['agents', 'mail-notifier', command, 'alice', ...args]);

  test('is switched on with what was asked for, and off with its settings kept', async () => {
    const files = join(stage.folder, 'notifier');
    mkdirSync(files);
    writeFileSync(join(files, 'appendix.md'), 'Release mail first.\n');
    writeFileSync(join(files, 'tokens'), 'first\n\nsecond\n');
    const set = {
      enabled: true,
      interval_seconds: 3600,
      mode: 'unread_only',
      context_error_policy: 'clear_context',
      appendix_text: 'Release mail first.\n',
      notify_block_render: 'enabled',
      notify_block_auth_mode: 'required',
      notify_block_auth_verifier: 'shared-token',
      notify_block_shared_tokens: ['first', 'second'],
      notify_block_per_message_chars: 100,
      notify_block_total_chars: 300,
    };
    const enabled = await notifier(
      ...(['enable', '--interval', '3600', '--mode', 'unread_only'] as const),
      ...['--context-error-policy', 'clear_context', '--appendix-file', join(files, 'appendix.md')],
      ...['--notify-block-render', 'enabled', '--notify-block-auth-mode', 'required'],
      ...['--notify-block-auth-verifier', 'shared-token', '--notify-block-token-file', join(files, 'tokens')],
      ...['--notify-block-per-message-chars', '100', '--notify-block-total-chars', '300'],
    );
    expect(enabled).toMatchObject(set);
    expect(await notifier('status')).toMatchObject(set);
    const { stdout } = await stage.run([
      'agents',
      'single',
      '--agent-name',
      'alice',
      'mail-notifier',
      'status',
    ]);
    expect(stdout).toMatch(
      /^The mail notifier of alice is on\.\n {2}wakes for +unread mail\n {2}every +3600 s\n/,
    );
    expect(stdout).toMatch(/checked by 2 tokens, left out when they fail/);
    expect(stdout).not.toMatch(/first\b.*second|second/);
    expect(await notifier('enable', '--interval', '60', '--appendix-text', '')).toMatchObject({
      interval_seconds: 60,
      mode: 'any_inbox',
      appendix_text: '',
      notify_block_auth_mode: 'required',
    });
    expect(await notifier('disable')).toMatchObject({
      enabled: false,
      interval_seconds: null,
      notify_block_shared_tokens: ['first', 'second'],
    });
  });

  test.each([
    [['enable', 'alice'], 2, "Required option '--interval <duration>'"],
    [['enable', 'alice', '--interval', '0'], 2, 'a duration, from 1s'],
    [
      ['enable', 'alice', '--interval', '5', '--mode', 'all'],
      2,
      'Allowed choices are any_inbox, unread_only',
    ],
    [
      ['enable', 'alice', '--interval', '5', '--appendix-text', 'a', '--appendix-file', 'b'],
      2,
      'cannot be used with',
    ],
    [['enable', 'alice', '--interval', '5', '--appendix-file', '/nowhere/text'], 2, 'does not exist'],
    [['enable', 'alice', '--interval', '5', '--pre-notification-context-action', 'compact'], 1, 'compact'],
    [['status', 'bob'], 6, 'No gateway answers for bob. Start one: houmao-mgr agents gateway attach bob'],
  ])('%j is refused in a sentence', async (args, code, text) => {
    const ran = await stage.run(['agents', 'mail-notifier', ...args]);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(text);
    expect(ran.stderr).not.toMatch(/ at .*\.js:\d+/);
  });
});
