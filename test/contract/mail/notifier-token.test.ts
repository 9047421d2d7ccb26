// Tokens are over after a while. Whatever comes meanwhile wakes the agent, once.
import { describe, expect, test } from 'vitest';
import { cyrusNeed, hasCyrus } from '../../support/jmap/cyrus-server.js';
import { lossyWay } from '../../support/jmap/lossy-way.js';
import { serverAgent } from './server-agent.js';
import { serverWakes } from './server-wakes.js';

describe('on a mail server', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, () => {
  const it = serverAgent('carol');
  const { comes, wakes, isSaid } = serverWakes(it);

  test('mail that came while the token was over wakes the agent, once the host has another one', async () => {
    const way = await lossyWay(it.server.jmapUrl);
    const [first, second] = [new Date(0), new Date()].map((at) => it.server.tokenOf(it.address, at));
    it.bind({ jmapUrl: way.jmapUrl, token: first! });
    // An hour: what wakes is the mail, and no interval.
    const enabled = await it.agent.ask('PUT', '/v1/mail-notifier', { interval_seconds: 3600 });
    expect(enabled.body).toMatchObject({ enabled: true, supported: true });
    await wakes(() => comes('with a token'));
    await wakes(async () => {
      way.refuse(first!);
      await comes('with a token that is over');
      await isSaid(/does not accept the credential/);
      it.renewToken(second!);
    });
    await wakes(() => comes('with another token'));
  });
});
