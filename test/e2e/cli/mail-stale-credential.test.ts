// A password that a mail server has no more: a server may lock out a host whose programs go on showing it.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressAt } from '../../support/jmap/accounts.js';
import { type CyrusServer, cyrusNeed, hasCyrus, startCyrus } from '../../support/jmap/cyrus-server.js';
import { mailStage } from './mail-stage.js';

describe('a stale password', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, () => {
  const stage = mailStage();
  const address = addressAt('bob');
  let server: CyrusServer;
  beforeAll(async () => {
    server = await startCyrus({ [address]: 'old' });
  });
  afterAll(() => server.stop());
  const register = async (password: string): Promise<void> => {
    const file = join(stage.folder, 'credential.json');
    writeFileSync(file, JSON.stringify({ password }), { mode: 0o600 });
    await stage.json([
      ...['agents', 'mailbox', 'register', 'bob', '--jmap-url', server.jmapUrl],
      ...['--address', address, '--credential-file', file],
    ]);
  };
  const list = () => stage.run(['agents', 'mail', 'list', 'bob']);

  test('is shown by one command and by none after it, until there is another one', async () => {
    await register('old');
    await server.addUser(address, 'new');
    const first = await list();
    expect(first.code).toBe(1);
    const [, note = ''] = /is not shown again before \S+, unless it is replaced or (\S+) removed/.exec(
      first.stderr,
    )!;
    expect(existsSync(note)).toBe(true);
    // The right one by now, as long as nobody shows it.
    await server.addUser(address, 'old');
    expect((await list()).stderr).toBe(first.stderr);
    expect((await stage.run(['agents', 'doctor', 'bob'])).stdout).toContain(note);
    await server.addUser(address, 'newer');
    await register('newer');
    expect([(await list()).code, existsSync(note)]).toEqual([0, false]);
  });
});
