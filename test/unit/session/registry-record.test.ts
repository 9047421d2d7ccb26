// Records as other programs write them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  listRecords,
  noteGateway,
  publishRecord,
  readRecord,
  renewLease,
} from '../../../src/session/registry.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const now = new Date('2026-03-01T12:00:00Z');
const gateway = { host: '127.0.0.1', port: 1, state_path: '/state', protocol_version: 'v1' };
const common = {
  agent_name: 'HOUMAO-old',
  agent_id: 'old',
  generation_id: '5b0c6e57-6a39-4f0b-9a6e-2c1f5e6b7a88',
  identity: { backend: 'claude_headless', tool: 'claude' },
  runtime: { manifest_path: '/s/manifest.json', session_root: '/s', agent_def_dir: null },
  mailbox: null,
};
const second = {
  schema_version: 2,
  ...common,
  gateway: null,
  published_at: '2026-03-01T12:00:00+00:00',
  lease_expires_at: '2026-03-02T12:00:00+00:00',
  terminal: { kind: 'tmux', session_name: 'HOUMAO-old-1' },
};
const third = {
  schema_version: 3,
  ...common,
  gateway: null,
  liveness: { published_at: '2026-03-01T12:00:00+00:00', lease_expires_at: '2126-02-06T12:00:00+00:00' },
  lifecycle: {
    state: 'active',
    relaunchable: true,
    state_updated_at: '2026-03-01T12:00:00+00:00',
    stopped_at: null,
    stop_reason: null,
  },
  terminal: { kind: 'tmux', current_session_name: 'HOUMAO-old-1', last_session_name: 'HOUMAO-old-1' },
};
const stopped = {
  ...third,
  liveness: null,
  terminal: { kind: 'tmux', current_session_name: null, last_session_name: 'HOUMAO-old-1' },
  lifecycle: { ...third.lifecycle, state: 'stopped', stopped_at: '2026-03-01T12:00:00+00:00' },
};

let counter = 0;
/** A registry with one record. */
function registryWith(record: object) {
  counter += 1;
  const root = join(folder, `registry-${counter}`);
  const path = join(root, 'live_agents', 'old', 'record.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(record));
  return { root, raw: () => JSON.parse(readFileSync(path, 'utf8')) };
}
const none = { host: null, port: null, state_path: null, protocol_version: null };
const place = { gateway_root: '/s/gateway', attach_path: '/s/gateway/attach.json' };

test.each<[string, object, object]>([
  ['of version 2', second, second],
  ['of version 2 with the folder of a gateway', { ...second, gateway: { ...place, ...none } }, second],
  [
    'of version 2 with a gateway and its folder',
    { ...second, gateway: { ...place, ...gateway } },
    { ...second, gateway },
  ],
  [
    'of version 3',
    third,
    { ...second, lease_expires_at: third.liveness.lease_expires_at, terminal: second.terminal },
  ],
])('a record %s is read as what it says', (_what, written, read) => {
  const { root } = registryWith(written);
  expect(readRecord(root, 'old')).toEqual(read);
  const list = listRecords(root, (fault) => {
    throw fault;
  });
  expect(list).toEqual([read]);
});

test('a record of version 3 keeps its version and what only that one tells', () => {
  const { root, raw } = registryWith(third);
  noteGateway(root, 'old', common.generation_id, gateway);
  expect(raw()).toEqual({ ...third, gateway });
  renewLease(root, 'old', common.generation_id, now);
  noteGateway(root, 'old', common.generation_id, null);
  expect(raw()).toEqual({ ...third, liveness: { ...third.liveness, published_at: now.toISOString() } });
});

test('a record that names the folder of a gateway names it after each change', () => {
  const { root, raw } = registryWith({ ...second, gateway: { ...place, ...none } });
  noteGateway(root, 'old', common.generation_id, gateway);
  expect(raw().gateway).toEqual({ ...place, ...gateway });
  noteGateway(root, 'old', common.generation_id, null);
  expect(raw().gateway).toEqual({ ...place, ...none });
});

test('a record of a stopped agent tells of nobody, stays, and keeps no launch from its name', () => {
  const { root, raw } = registryWith(stopped);
  expect(readRecord(root, 'old')).toBeNull();
  renewLease(root, 'old', common.generation_id, now);
  expect(raw()).toEqual(stopped);
  publishRecord(
    root,
    { ...second, schema_version: 2, generation_id: 'another', terminal: { kind: 'tmux', session_name: 'x' } },
    now,
  );
  expect(raw().generation_id).toBe('another');
});
