import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { turnArtifacts } from '../../../src/session/session-paths.js';
import { managedHost, startManagedServer } from '../../support/managed-server.js';
import { makeSession } from '../../support/test-session.js';
import { agentsOf, takenPrompts } from '../recovery/evidence.js';
import { pathOf } from './turns-of.js';

test('a turn that ended while no server ran is reported with the time of its end and its interrupt', async () => {
  const session = await makeSession();
  const start = () => startManagedServer(managedHost(session.folder), session.folder);
  let server = await start();
  const prompt = '[[ignore-signals]] [[slow=60000]] alone';
  const begun = await server.ask('POST', pathOf(session, '/turns'), { prompt });
  const turnId: string = begun.body.turn_id;
  await expect.poll(() => takenPrompts(session.ledger)).toHaveLength(1);
  await server.ask('POST', pathOf(session, '/interrupt'));
  const detail = async () => (await server.ask('GET', pathOf(session, '/state/detail'))).body.detail;
  const { active_turn_interrupt_requested_at_utc: since, active_turn_started_at_utc: started } =
    await detail();
  expect(since).not.toBeNull();
  await server.kill();
  server = await start();
  expect(await detail()).toMatchObject({ active_turn_interrupt_requested_at_utc: since });
  await server.kill();

  const { exitCode, process: processFile } = turnArtifacts(session.paths, turnId);
  process.kill(JSON.parse(readFileSync(processFile, 'utf8')).child_pid, 'SIGKILL');
  await expect.poll(() => existsSync(exitCode)).toBe(true);
  utimesSync(exitCode, new Date(started), new Date(started));
  server = await start();
  const turn = await server.ask('GET', pathOf(session, `/turns/${turnId}?wait_seconds=30`));
  expect(turn.body).toMatchObject({ status: 'interrupted', returncode: -9, completed_at_utc: started });
  expect(await server.stop()).toBe(0);
  expect(agentsOf(session)).toEqual([]);
  session.remove();
});
