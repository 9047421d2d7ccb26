import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../support/http.js';
import { addressAt } from '../../support/jmap/accounts.js';
import { type CyrusServer, cyrusNeed, hasCyrus, startCyrus } from '../../support/jmap/cyrus-server.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { standinProgram } from '../../support/test-session.js';
import { usePrivateTmux } from '../recovery/private-tmux.js';
import { type LoopAgent, twoRounds } from './mail-loop.js';

// The same as in loop.test.ts, with both mailboxes on a mail server.

describe('on a mail server', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, () => {
  const tmux = usePrivateTmux();
  const folder = mkdtempSync(join(tmpdir(), 'houmao-loop-'));
  const environment = managerEnvironment(folder);
  const agents: LoopAgent[] = [];
  let server: CyrusServer;

  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await manage(environment, args);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  async function launch(name: string, mode: '--headless' | '--tui'): Promise<LoopAgent> {
    const home = join(folder, name);
    mkdirSync(home);
    const { gateway_url: url } = JSON.parse(
      await run(
        ...['agents', 'launch', '--tool', 'claude', mode, '--name', name, '--json'],
        ...['--workdir', home, '--home', home, '--executable', standinProgram],
        ...['--env', 'HOUMAO_STANDIN_MAIL=1'],
      ),
    );
    const credential = join(folder, `${name}.json`);
    writeFileSync(credential, JSON.stringify({ password: `${name}-pw` }), { mode: 0o600 });
    await run(
      ...['agents', 'mailbox', 'register', name, '--jmap-url', server.jmapUrl],
      ...['--address', addressAt(name), '--credential-file', credential],
    );
    const notifier = await call(url, 'PUT', '/v1/mail-notifier', { interval_seconds: 3600 });
    expect(notifier.status).toBe(200);
    return { name, url, address: addressAt(name) };
  }

  beforeAll(async () => {
    const names = ['headless', 'terminal'].map((name) => [addressAt(name), `${name}-pw`]);
    server = await startCyrus(Object.fromEntries(names));
    agents.push(await launch('headless', '--headless'), await launch('terminal', '--tui'));
  });
  afterAll(async () => {
    for (const { name } of agents) await manage(environment, ['agents', 'stop', name]);
    await server.stop();
    tmux.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  test('two agents work through their mail, each woken once by each message', () =>
    twoRounds(agents[0]!, agents[1]!));
});
