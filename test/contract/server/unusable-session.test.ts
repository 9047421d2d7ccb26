import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { agentsOf, markedProcesses, takenPrompts } from '../../e2e/recovery/evidence.js';
import { pathOf } from '../../e2e/server/turns-of.js';
import { openManagedServer } from '../../support/managed-server.js';
import { makeSession } from '../../support/test-session.js';

test('a turn that has ended is still reported while nobody can go on with the one that runs', async () => {
  const session = await makeSession();
  const first = await openManagedServer(session.folder);
  const begin = async (prompt: string): Promise<string> =>
    (await first.ask('POST', pathOf(session, '/turns'), { prompt })).body.turn_id;
  const ended = await begin('over');
  const before = await first.ask('GET', pathOf(session, `/turns/${ended}?wait_seconds=30`));
  expect(before.body).toMatchObject({ status: 'completed' });
  const running = await begin('[[slow=60000]] on and on');
  await expect.poll(() => takenPrompts(session.ledger)).toHaveLength(2);
  await first.close();
  writeFileSync(session.paths.manifest, '{');
  const second = await openManagedServer(session.folder);
  const of = (turnId: string, rest = '') => second.ask('GET', pathOf(session, `/turns/${turnId}${rest}`));
  expect(await of(ended, '?wait_seconds=30')).toMatchObject({ status: 200, body: before.body });
  for (const rest of ['/record', '/events']) expect((await of(ended, rest)).status).toBe(200);
  // Whether it still runs, nobody can say now.
  expect(await of(running)).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining('session cannot be read') },
  });
  await second.close();
  for (const pid of markedProcesses([running])) process.kill(pid, 'SIGKILL');
  await expect.poll(() => agentsOf(session)).toEqual([]);
  session.remove();
});
