import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { readManifest } from '../../../src/session/manifest.js';
import { call, promptAndWait } from '../../support/http.js';
import { manage } from '../../support/manager.js';
import { makeSession } from '../../support/test-session.js';

test('the days of attach outlive restarts, are shown, and what they delete is said', async () => {
  const session = await makeSession();
  const { environment, paths } = session;
  const name = readManifest(paths.manifest).agent_name ?? '';
  const gateway = (...args: string[]) => manage(environment, ['agents', 'gateway', ...args]);
  const attach = async (...flags: string[]): Promise<string> => {
    const ran = await gateway('attach', name, ...flags, '--json');
    expect([ran.code, ran.code === 0 ? '' : ran.stderr]).toEqual([0, '']);
    return JSON.parse(ran.stdout).gateway_url;
  };
  const old = await promptAndWait(await attach('--retain-days', '7', '--log-size', '1M'), 'old');
  expect((await gateway('status', name)).stdout).toMatch(
    /kept +finished requests for 7 days; logs in files of 1M /,
  );
  const differs = await gateway('attach', name, '--retain-days', '9', '--json');
  expect([differs.code, JSON.parse(differs.stderr).error_code]).toEqual([1, 'gateway_differs']);
  await gateway('detach', name);
  const database = openDatabase(paths.queue);
  database.prepare("UPDATE gateway_requests SET finished_at_utc = '2020-01-01T00:00:00+00:00'").run();
  database.close();
  const url = await attach();
  await expect.poll(async () => (await call(url, 'GET', `/v1/requests/${old.request_id}`)).status).toBe(404);
  const { body } = await call(url, 'GET', '/v1/events?after=0');
  const forgotten = body.events.filter(({ kind }: { kind: string }) => kind === 'requests_forgotten');
  expect(forgotten.map(({ data }: { data: { requests: number } }) => data.requests)).toEqual([1]);
  expect((await call(url, 'GET', '/v1/about')).body.keeping).toMatchObject({
    retain_days: 7,
    log_bytes: 1048576,
  });
  await attach('--retain-days', 'never', '--restart');
  expect((await gateway('status', name)).stdout).toContain('finished requests for ever');
  await gateway('detach', name);
  session.remove();
});
