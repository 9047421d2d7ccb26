import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentIdOf } from '../../../src/launch/agent-name.js';
import { writeAuthority } from '../../../src/server/directory/agent-records.js';
import { recordFileName, recordsFolder } from '../../../src/session/registry.js';
import type { SessionPaths } from '../../../src/session/session-paths.js';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

let server: ManagedServer;
let paths: SessionPaths;
beforeEach(async () => {
  const folder = temporaryFolder();
  server = await openManagedServer(folder);
  paths = await launchOn(server.host, folder, 'alpha');
  const stamp = '2026-01-01T00:00:00+00:00';
  // Listed also without its lease.
  writeAuthority(server.server.parts.paths.managedAgents, {
    tracked_agent_id: 'claude_headless-1',
    backend: 'claude_headless',
    tool: 'claude',
    manifest_path: paths.manifest,
    session_root: paths.root,
    tmux_session_name: 'x',
    agent_def_dir: null,
    agent_name: 'HOUMAO-alpha',
    agent_id: agentIdOf('alpha'),
    created_at_utc: stamp,
    updated_at_utc: stamp,
  });
});
afterEach(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

const change = (path: string, to: object): void =>
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...to }));
async function mailbox() {
  await server.server.directory.changed();
  return (await server.ask('GET', '/houmao/agents/alpha/state')).body.mailbox;
}

test('the mailbox of an agent is that of its registry record, as long as that is its own and its lease lasts', async () => {
  const record = join(recordsFolder(server.host.registryRoot), agentIdOf('alpha'), recordFileName);
  expect(await mailbox()).toBeNull();
  const reported = {
    transport: 'filesystem',
    principal_id: 'HOUMAO-alpha',
    address: 'alpha@houmao.localhost',
  };
  change(record, { mailbox: { ...reported, filesystem_root: '/secret' } });
  expect(await mailbox()).toEqual(reported);
  const { runtime, lease_expires_at } = JSON.parse(readFileSync(record, 'utf8'));
  change(record, { runtime: { ...runtime, manifest_path: '/other/manifest.json' } });
  const own = (await server.ask('GET', '/houmao/agents/claude_headless-1/state')).body;
  expect(own.mailbox).toBeNull();
  change(record, { runtime });
  expect(await mailbox()).toEqual(reported);
  change(record, { lease_expires_at: '2020-01-01T00:00:00Z' });
  expect(await mailbox()).toBeNull();
  change(record, { lease_expires_at });
  expect(await mailbox()).toEqual(reported);
});
