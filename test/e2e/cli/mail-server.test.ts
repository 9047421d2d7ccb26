// A mailbox on a mail server: how an agent is given one, and mail through it, with a gateway and without.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readManifest } from '../../../src/session/manifest.js';
import { addressAt } from '../../support/jmap/accounts.js';
import { type CyrusServer, cyrusNeed, hasCyrus, startCyrus } from '../../support/jmap/cyrus-server.js';
import { addressOf, mailStage } from './mail-stage.js';

describe('a mailbox on a mail server', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, () => {
  const stage = mailStage();
  let server: CyrusServer;
  beforeAll(async () => {
    server = await startCyrus({ [addressAt('alice')]: 'alice-pw', [addressAt('bob')]: 'bob-pw' });
  });
  afterAll(() => server.stop());

  const fileOf = (name: string, content: object, mode = 0o600): string => {
    const path = join(stage.folder, `${name}.json`);
    writeFileSync(path, JSON.stringify(content));
    chmodSync(path, mode);
    return path;
  };
  const register = (name: string, file: string, ...more: string[]): string[] => [
    ...['agents', 'mailbox', 'register', name, '--jmap-url', server.jmapUrl],
    ...['--address', addressAt(name), '--credential-file', file, ...more],
  ];

  test('is given by its address and a file, and mail goes through it, with a gateway and without', async () => {
    const given = await stage.json(register('bob', fileOf('bob', { password: 'bob-pw' })));
    expect(given).toMatchObject({
      transport: 'stalwart',
      address: addressAt('bob'),
      jmap_url: server.jmapUrl,
      still_registered: { address: addressOf('bob'), mailbox_root: stage.root },
    });
    const token = fileOf('alice', { bearer_token: server.tokenOf(addressAt('alice')) });
    const { stdout } = await stage.run(register('alice', token));
    expect(stdout).toContain(`alice has ${addressAt('alice')} at ${server.jmapUrl} now.`);

    // Bob has no gateway, Alice has one.
    const mail = ['--to', addressAt('alice'), '--subject', 'hello', '--body-content', 'of Bob'];
    const sent = await stage.json(['agents', 'mail', 'send', 'bob', ...mail]);
    expect(sent).toMatchObject({ execution_path: 'manager_direct', message: { box: 'sent' } });
    const listed = async () => (await stage.json(['agents', 'mail', 'list', 'alice'])).messages;
    await expect.poll(listed).toMatchObject([{ subject: 'hello', sender: { address: addressAt('bob') } }]);
    const [{ message_ref: ref }] = await listed();
    const reply = ['agents', 'mail', 'reply', 'alice', '--message-ref', ref, '--body-content', 'and back'];
    expect(await stage.json(reply)).toMatchObject({ execution_path: 'gateway_backed' });
    await expect
      .poll(async () => (await stage.json(['agents', 'mail', 'list', 'bob'])).messages)
      .toMatchObject([{ subject: 'Re: hello', unread: true }]);
    expect((await stage.run(['agents', 'doctor', 'alice'])).stdout).toMatch(
      /mailbox.*alice@example\.test, usable/,
    );

    // The files that everybody may read hold no secret; the secret is its owner's alone.
    for (const { paths } of [stage.alice, stage.bob]) {
      const { credential_ref } = readManifest(paths.manifest).launch_plan.mailbox as {
        credential_ref: string;
      };
      const copy = join(paths.mailSecrets, `${credential_ref}.json`);
      expect(statSync(copy).mode & 0o777).toBe(0o600);
      for (const text of [
        readFileSync(paths.manifest, 'utf8'),
        existsSync(paths.log) ? readFileSync(paths.log, 'utf8') : '',
      ])
        for (const secret of ['bob-pw', server.tokenOf(addressAt('alice'))])
          expect(text).not.toContain(secret);
    }

    const { stdout: gone } = await stage.run(['agents', 'mailbox', 'unregister', 'bob', '--mode', 'purge']);
    expect(gone).toBe(
      `bob has no mailbox any more; ${addressAt('bob')} stays on its mail server as it is.\n`,
    );
    expect(existsSync(stage.bob.paths.mailSecrets)).toBe(false);
    expect(await stage.json(['agents', 'mailbox', 'status', 'bob'])).toMatchObject({ registered: false });
  });

  test.each([
    ['a wrong password', { password: 'no' }, 0o600, [], 1, /does not accept the credential \(401\)/],
    ['a file that others can read', { password: 'bob-pw' }, 0o644, [], 1, /chmod 600/],
    ['a file without a secret', { login: 'bob' }, 0o600, [], 1, /a password or a bearer_token/],
    [
      'a root beside it',
      { password: 'bob-pw' },
      0o600,
      ['--mailbox-root', '/tmp/x'],
      2,
      /cannot be used with/,
    ],
  ] as const)('%s is refused, and nothing is changed', async (what, content, mode, more, code, words) => {
    const before = readFileSync(stage.bob.paths.manifest, 'utf8');
    const ran = await stage.run(register('bob', fileOf(what, content, mode), ...more));
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringMatching(words)]);
    expect(readFileSync(stage.bob.paths.manifest, 'utf8')).toBe(before);
  });

  test.each([
    [['--jmap-url', 'http://127.0.0.1:47/jmap'], 1, /no credential for it .*--credential-file/],
    [['--jmap-url', 'mail.example'], 2, /--jmap-url must be /],
    [['--credential-file', 'x.json'], 2, /need --jmap-url/],
    [['--jmap-url', 'http://127.0.0.1:47/jmap', '--credential-file', 'nowhere.json'], 2, /does not exist/],
  ])('%j is refused in a sentence', async (args, code, words) => {
    const ran = await stage.run(['agents', 'mailbox', 'register', 'bob', ...args]);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringMatching(words)]);
  });

  test('is part of a launch, with a file and then with what is kept of it', async () => {
    await server.addUser(addressAt('carol'), 'carol-pw');
    const tool = ['--tool', 'claude', '--executable', '/bin/true', '--workdir', stage.folder];
    const quiet = ['--headless', '--no-tmux', '--no-gateway', '--home', join(stage.folder, 'home')];
    const launch = (...more: string[]) =>
      stage.run(['agents', 'launch', ...tool, ...quiet, '--name', 'carol', ...more, '--json']);
    const where = ['--jmap-url', server.jmapUrl, '--address', addressAt('carol')];
    const file = ['--credential-file', fileOf('carol', { password: 'carol-pw' })];
    expect(await launch(...where)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no credential'),
    });
    expect(await launch(...where, ...file, '--mailbox', stage.root)).toMatchObject({ code: 2 });
    const stray = ['--login-identity', 'carol'];
    const management = ['--management-url', 'https://mail.example.test/api'];
    for (const flags of [file, stray, management])
      for (const folder of [[], ['--mailbox', stage.root]])
        expect(await launch(...flags, ...folder)).toMatchObject({
          code: 2,
          stderr: expect.stringMatching(/need --jmap-url/),
        });
    for (const credential of [file, []]) {
      const launched = await launch(...where, ...credential);
      expect(launched).toMatchObject({ code: 0 });
      const { brain_manifest_path: brain } = readManifest(JSON.parse(launched.stdout).manifest_path);
      expect(readFileSync(brain, 'utf8')).toContain(`jmap_url: ${server.jmapUrl}`);
      expect(await stage.json(['agents', 'mail', 'status', 'carol'])).toMatchObject({
        transport: 'stalwart',
        address: addressAt('carol'),
      });
      await stage.json(['agents', 'stop', 'carol']);
    }
  });

  test('a password that was changed among those of the host works at once', async () => {
    const { environment, paths } = stage.alice;
    await stage.json(register('alice', fileOf('alice first', { password: 'alice-pw' })));
    expect(await stage.json(['agents', 'mail', 'status', 'alice'])).toMatchObject({
      address: addressAt('alice'),
    });
    await server.addUser(addressAt('alice'), 'another');
    const { credential_ref } = readManifest(paths.manifest).launch_plan.mailbox as { credential_ref: string };
    const durable = join(
      environment.HOUMAO_GLOBAL_RUNTIME_DIR!,
      'mailbox-credentials',
      'stalwart',
      `${credential_ref}.json`,
    );
    writeFileSync(durable, JSON.stringify({ password: 'another' }), { mode: 0o600 });
    expect(await stage.json(['agents', 'mail', 'status', 'alice'])).toMatchObject({
      address: addressAt('alice'),
    });
    await server.addUser(addressAt('alice'), 'alice-pw');
  });
});
