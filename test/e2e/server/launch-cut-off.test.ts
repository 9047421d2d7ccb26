import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkBrainLaunch } from '../../../src/launch/brain/check-brain-launch.js';
import { createSession, sessionRoot } from '../../../src/launch/create-session.js';
import { digestOf } from '../../../src/server/lifecycle/launch-record.js';
import { readRecord } from '../../../src/session/registry.js';
import { launchBody, prepare } from '../../support/brain.js';
import { managedHost, startManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

// A server that dies in the middle of a launch: the next one takes back what is not an agent, and keeps what is one.

const tmux = ownTmux();
const api = 'http://127.0.0.1:9889';

function stage() {
  const folder = temporaryFolder(tmux);
  const host = managedHost(folder, tmux);
  const { requested } = prepare(folder);
  const launches = join(folder, 'server/state/launches');
  mkdirSync(launches, { recursive: true });
  return { folder, host, requested, launches };
}

/** The record of a launch that goes on. */
const begun = (id: string, root: string, key: { key: string; body: string } | null) =>
  JSON.stringify({
    schema_version: 1,
    tracked_agent_id: id,
    session_root: root,
    state: 'begun',
    authority: null,
    begun_at_utc: new Date().toISOString(),
    key_digest: key && digestOf(key.key),
    body_digest: key && digestOf(key.body),
  });

test('what was made without its last step is taken back', async () => {
  const { folder, host, requested, launches } = stage();
  const request = checkBrainLaunch({ ...requested, agentName: 'half' }, api, host);
  const { sessionId = '', agentId = '' } = request.managed ?? {};
  const paths = await createSession(request, host);
  const session = JSON.parse(readFileSync(paths.manifest, 'utf8')).tmux_session_name;
  writeFileSync(join(launches, `${sessionId}.json`), begun(sessionId, paths.root, null));
  const server = await startManagedServer(host, folder);
  expect((await server.ask('GET', '/houmao/agents/half/gateway')).status).toBe(404);
  expect(await tmux.tmux.hasSession(session)).toBe(false);
  expect([existsSync(paths.root), readRecord(host.registryRoot, agentId)]).toEqual([false, null]);
  expect(readdirSync(launches)).toEqual([]);
  expect(await server.stop()).toBe(0);
});

test('one that was cut off before its session was there leaves nothing', async () => {
  const { folder, host, launches } = stage();
  const id = 'claude_headless-20260101-000000Z-00000000';
  const root = sessionRoot(host, 'claude_headless', id);
  writeFileSync(join(launches, `${id}.json`), begun(id, root, null));
  const server = await startManagedServer(host, folder);
  expect([readdirSync(launches), existsSync(root)]).toEqual([[], false]);
  expect(await server.stop()).toBe(0);
});

test('the answer to a key outlives its server, also when that died before it could be kept', async () => {
  const { folder, host, requested, launches } = stage();
  const body = {
    ...launchBody(requested),
    agent_name: 'keyed',
  };
  const path = '/houmao/agents/headless/launches';
  const headers = { 'Idempotency-Key': 'one' };
  const first = await startManagedServer(host, folder);
  const { body: launched } = await first.ask('POST', path, body, headers);
  await first.kill();
  const file = join(launches, `${launched.tracked_agent_id}.json`);
  const kept = JSON.parse(readFileSync(file, 'utf8'));
  expect(kept.state).toBe('done');
  writeFileSync(file, JSON.stringify({ ...kept, state: 'begun', authority: null }));
  const second = await startManagedServer(host, folder);
  const again = await second.ask('POST', path, body, headers);
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  expect(again.body).toEqual(launched);
  expect((await second.ask('POST', '/houmao/agents/keyed/stop')).status).toBe(200);
  // An answer that was given once is given again, also when the agent has ended since.
  expect((await second.ask('POST', path, body, headers)).body).toEqual(launched);
  expect(await second.stop()).toBe(0);
});
