import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createUser } from '@nats-io/nkeys';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { natsServer } from '../../../../scripts/tools/nats-server.mjs';
import {
  type EngineSettings,
  hostsText,
  listenAddress,
  settingsText,
} from '../../../../src/fleet/engine/server-config.js';
import { hostNamePattern } from '../../../../src/foundation/host-name.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { tlsIdentity } from '../../../support/tls-identity.js';

const folder = temporaryFolder();
let program: string;
beforeAll(() => {
  program = natsServer(console.log);
});

/** Has the server read a configuration. @returns its words, and the exit code */
function read(text: string): { status: number | null; stderr: string } {
  const path = join(folder, 'nats-server.conf');
  writeFileSync(path, text);
  const { status, stderr } = spawnSync(program, ['-t', '-c', path], { encoding: 'utf8' });
  return { status, stderr };
}

const plain: EngineSettings = {
  listen: { host: '127.0.0.1', port: 4222 },
  storeFolder: folder,
  tls: null,
  log: null,
  portsFolder: null,
  hostsFile: null,
};

const path = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 40 })
  .map((name) => join(folder, name.replaceAll('\0', '')));
const keys = fc
  .uniqueArray(fc.stringMatching(hostNamePattern), { maxLength: 4 })
  .map((hosts) => hosts.map((name) => ({ name, publicKey: createUser().getPublicKey() })));

test('the server takes the configuration for any hosts and paths', () => {
  fc.assert(
    fc.property(keys, path, path, fc.integer({ min: 1, max: 65_535 }), (hosts, store, log, port) => {
      const settings = {
        ...plain,
        storeFolder: store,
        log,
        portsFolder: store,
        listen: { host: '::1', port },
      };
      const { status, stderr } = read(`${settingsText(settings)}${hostsText(hosts)}`);
      expect([status, stderr.trim().split('\n')]).toEqual([0, [expect.stringMatching(/ is valid /)]]);
    }),
    { numRuns: 25 },
  );
});

test('the server takes it with a certificate, and says that a file is missing', async () => {
  const identity = await tlsIdentity('nats.example');
  const [certificate, key] = ['cert', 'key'].map((part) => {
    const file = join(folder, `${part}.pem`);
    writeFileSync(file, identity[part as keyof typeof identity]);
    return file;
  }) as [string, string];
  expect(read(settingsText({ ...plain, tls: { certificate, key } })).status).toBe(0);
  const missing = join(folder, 'none.pem');
  expect(read(settingsText({ ...plain, tls: { certificate: missing, key } }))).toEqual({
    status: 1,
    stderr: expect.stringContaining(missing),
  });
});

test('everything is on disk before it is acknowledged', () => {
  expect(settingsText(plain)).toMatch(/^ {2}sync_interval: always$/m);
});

describe('an address to listen on', () => {
  test.each([
    ['10.0.0.5', { host: '10.0.0.5', port: 4222 }],
    ['nats.example:5222', { host: 'nats.example', port: 5222 }],
    ['[::1]:4223', { host: '::1', port: 4223 }],
    ['[::]', { host: '::', port: 4222 }],
  ])('%s', (text, address) => {
    expect(listenAddress(text)).toEqual(address);
  });

  test.each(['', ':4222', '127.0.0.1:', '127.0.0.1:0', '127.0.0.1:65536', '::1', 'a b', 'nats://x:4222'])(
    '%j is none',
    (text) => {
      expect(listenAddress(text)).toBeNull();
    },
  );
});
