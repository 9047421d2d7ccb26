import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UnusableFile } from '../../../src/foundation/faults.js';
import {
  AlreadyRegistered,
  isFresh,
  leaseMilliseconds,
  listRecords,
  noteGateway,
  publishRecord,
  readRecord,
  registryRoot,
  renewLease,
  withdrawRecord,
} from '../../../src/session/registry.js';
import type { RegistryRecord } from '../../../src/session/registry-record.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const now = new Date('2026-03-01T12:00:00Z');
const later = (ms: number): Date => new Date(now.getTime() + ms);
const record = (generation: string, id = 'alpha'): RegistryRecord => ({
  schema_version: 2,
  agent_name: id,
  agent_id: id,
  generation_id: generation,
  published_at: now.toISOString(),
  lease_expires_at: later(leaseMilliseconds).toISOString(),
  identity: { backend: 'claude_headless', tool: 'claude' },
  runtime: { manifest_path: `/sessions/${generation}/manifest.json` },
  terminal: { kind: 'tmux', session_name: 'tmux' },
});
let counter = 0;
const freshRoot = (): string => {
  counter += 1;
  return join(folder, `registry-${counter}`);
};

describe('registry', () => {
  it('a name with a fresh lease belongs to its generation', () => {
    const root = freshRoot();
    publishRecord(root, record('one'), now);
    publishRecord(root, record('one'), now);
    expect(() => publishRecord(root, record('two'), now)).toThrow(AlreadyRegistered);
    publishRecord(root, record('two'), later(leaseMilliseconds + 1));
    expect(readRecord(root, 'alpha')?.generation_id).toBe('two');
  });

  it('a lease ends after its last moment', () => {
    expect(isFresh(record('one'), later(leaseMilliseconds))).toBe(true);
    expect(isFresh(record('one'), later(leaseMilliseconds + 1))).toBe(false);
    expect(isFresh({ ...record('one'), lease_expires_at: 'never' }, now)).toBe(false);
  });

  it('only the owner renews, notes and withdraws', () => {
    const root = freshRoot();
    const gateway = { host: '127.0.0.1', port: 1, state_path: '/state', protocol_version: 'v1' };
    publishRecord(root, record('one'), now);
    renewLease(root, 'alpha', 'two', later(5));
    noteGateway(root, 'alpha', 'two', gateway);
    withdrawRecord(root, 'alpha', 'two');
    expect(readRecord(root, 'alpha')).toEqual(record('one'));

    renewLease(root, 'alpha', 'one', later(5));
    noteGateway(root, 'alpha', 'one', gateway);
    expect(readRecord(root, 'alpha')).toEqual({
      ...record('one'),
      published_at: later(5).toISOString(),
      lease_expires_at: later(5 + leaseMilliseconds).toISOString(),
      gateway,
    });
    noteGateway(root, 'alpha', 'one', null);
    expect(readRecord(root, 'alpha')?.gateway).toBeNull();
    withdrawRecord(root, 'alpha', 'one');
    expect(readRecord(root, 'alpha')).toBeNull();
  });

  it('lists what can be read, and reports the rest', () => {
    const root = freshRoot();
    expect(listRecords(root, () => undefined)).toEqual([]);
    publishRecord(root, record('one', 'alpha'), now);
    publishRecord(root, record('two', 'beta'), now);
    mkdirSync(join(root, 'live_agents', 'broken'));
    writeFileSync(join(root, 'live_agents', 'broken', 'record.json'), '{"schema_version": 2}');
    mkdirSync(join(root, 'live_agents', 'empty'));
    const faults: UnusableFile[] = [];
    const names = listRecords(root, (fault) => faults.push(fault)).map(({ agent_id }) => agent_id);
    expect(names.sort()).toEqual(['alpha', 'beta']);
    expect(faults.map(({ path }) => path)).toEqual([join(root, 'live_agents', 'broken', 'record.json')]);
  });

  it('is empty where there is none, and a fault where it cannot be read', () => {
    const root = freshRoot();
    expect(listRecords(root, () => undefined)).toEqual([]);
    writeFileSync(root, 'no folder');
    const list = () => listRecords(root, () => undefined);
    expect(list).toThrow(UnusableFile);
    expect(list).toThrow(expect.objectContaining({ path: join(root, 'live_agents') }));
  });

  it('keeps a lease that lasts longer than its own', () => {
    const root = freshRoot();
    const long = { ...record('one'), lease_expires_at: later(30 * leaseMilliseconds).toISOString() };
    publishRecord(root, long, now);
    renewLease(root, 'alpha', 'one', later(5));
    expect(readRecord(root, 'alpha')?.lease_expires_at).toBe(long.lease_expires_at);
  });

  it('loses nothing when two processes change one record at once', async () => {
    const root = freshRoot();
    publishRecord(root, record('one'), now);
    const module = new URL('../../../dist/src/session/registry.js', import.meta.url).href;
    const both = [
      `for (let n = 0; n < 150; n += 1) renewLease(root, 'alpha', 'one', new Date());`,
      `for (let port = 1; port <= 150; port += 1) {
        noteGateway(root, 'alpha', 'one', { host: 'h', port, state_path: '/s', protocol_version: 'v1' });
        if (readRecord(root, 'alpha')?.gateway?.port !== port) process.exitCode = 1;
      }`,
    ].map((work) =>
      once(
        spawn(
          process.execPath,
          [
            '--input-type=module',
            '-e',
            `import { noteGateway, readRecord, renewLease } from ${JSON.stringify(module)};
             const root = ${JSON.stringify(root)}; ${work}`,
          ],
          { stdio: 'inherit' },
        ),
        'exit',
      ),
    );
    expect((await Promise.all(both)).map(([code]) => code)).toEqual([0, 0]);
  });

  it('stands where the variable says, which must be absolute', () => {
    expect(registryRoot({ HOUMAO_GLOBAL_REGISTRY_DIR: '/x/y' })).toBe('/x/y');
    expect(() => registryRoot({ HOUMAO_GLOBAL_REGISTRY_DIR: 'x/y' })).toThrow(/absolute/);
    expect(registryRoot({})).toMatch(/\.houmao\/registry$/);
  });
});
