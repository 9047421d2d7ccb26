import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readRegistry } from '../../../../sdk/src/node/registry.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();
const common = {
  agent_name: 'HOUMAO-old',
  agent_id: 'old',
  runtime: { manifest_path: '/s/manifest.json', session_root: null },
};
const lease = { published_at: '2026-03-01T12:00:00Z', lease_expires_at: '2026-03-02T12:00:00Z' };
const inTmux = { kind: 'tmux', current_session_name: 'HOUMAO-old-1', last_session_name: 'HOUMAO-old-1' };
const stands = { tmuxSessionName: 'HOUMAO-old-1', leaseExpired: false };

test.each([
  ['2', { ...common, ...lease, terminal: { kind: 'tmux', session_name: 'HOUMAO-old-1' } }, stands],
  ['3', { ...common, liveness: lease, terminal: inTmux }, stands],
  [
    '3 of a stopped agent',
    { ...common, liveness: null, terminal: { ...inTmux, current_session_name: null } },
    { tmuxSessionName: null, leaseExpired: true },
  ],
])('a record of version %s tells where its agent is', async (version, record, reported) => {
  const path = join(folder, version, 'live_agents', 'old', 'record.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ schema_version: Number(version[0]), ...record }));
  const { records, unusable } = await readRegistry(join(folder, version), new Date('2026-03-01T13:00:00Z'));
  expect(unusable).toEqual([]);
  expect(records).toEqual([{ agentName: 'HOUMAO-old', agentId: 'old', sessionRoot: '/s', ...reported }]);
});
