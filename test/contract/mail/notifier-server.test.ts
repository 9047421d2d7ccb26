// Mail that comes to a mail server wakes the agent: whatever happens to the server meanwhile, once.
import { rmSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { cyrusNeed, hasCyrus } from '../../support/jmap/cyrus-server.js';
import { otherClient } from '../../support/jmap/other-client.js';
import { serverAgent } from './server-agent.js';
import { serverWakes } from './server-wakes.js';

describe('on a mail server', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, () => {
  const it = serverAgent('bob');
  const { address } = it;
  let password = 'bob-pw';
  const { comes, wakes, isSaid } = serverWakes(it);
  beforeAll(async () => {
    // An hour: what wakes is the mail, and no interval.
    const enabled = await it.agent.ask('PUT', '/v1/mail-notifier', { interval_seconds: 3600 });
    expect(enabled.body).toMatchObject({ enabled: true, supported: true });
  });

  test('a message of a person wakes the agent, once', () => wakes(() => comes('first')));

  test.each([
    ['an hour ago', -1],
    ['in an hour', 1],
  ])('one that came %s, by the clock of the server, too', (_when, hours) =>
    wakes(async () => {
      const elsewhere = await otherClient(it.server, address, password);
      const at = new Date(Date.now() + hours * 3_600_000);
      await elsewhere.bringIn(`From: ann@world.test\r\nSubject: ${hours}\r\n\r\nHello.\r\n`, at);
    }),
  );

  test('one that came while the server was away for us, too', () =>
    wakes(async () => {
      await it.server.end();
      await isSaid(/cannot be reached/);
      await it.server.begin();
      await comes('after a restart');
    }));

  test('one that came while the password was wrong, once it is right', () =>
    wakes(async () => {
      password = 'another';
      await it.server.addUser(address, password);
      await comes('with another password');
      await isSaid(/does not accept the credential/);
      // Nothing that a credential lacks for a while turns the notifier off.
      const { paths } = it.agent.session;
      rmSync(paths.mailSecrets, { recursive: true });
      await isSaid(/does not exist/);
      it.bind({ password });
    }));
});
