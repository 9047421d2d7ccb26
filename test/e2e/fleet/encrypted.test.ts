// Hosts that meet by TLS, and hosts that do not trust the NATS server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { beforeAll, expect, test } from 'vitest';
import { hostsFileName } from '../../../src/fleet/engine/credentials.js';
import { engineKeys, engineNode } from '../../support/fleet/engine.js';
import { fleetHosts, giveCommand, listsAgents, waitFor } from '../../support/fleet/hosts.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { tlsAuthority } from '../../support/tls-identity.js';
import { takenPrompts } from '../recovery/evidence.js';

const folder = temporaryFolder();
const ca = join(folder, 'ca.pem');
const otherCa = join(folder, 'other-ca.pem');
const authority = await tlsAuthority();
writeFileSync(ca, authority.cert);
writeFileSync(otherCa, (await tlsAuthority()).cert);
/** A NATS server whose certificate is for its address. */
const tls = await authority.identity('127.0.0.1');
const node = engineNode({ folder, hostsFile: hostsFileName, tls });
const keys = engineKeys(folder, ['ws1', 'ws2', 'ws3'], () => [node.url]);
const start = fleetHosts({ ...keys, nodes: [node], replicas: 1 });
beforeAll(() => node.start(), 120_000);

test('hosts that trust its authority meet, by an address that its certificate is for', async () => {
  expect(node.url).toMatch(/^tls:\/\/127\.0\.0\.1:/);
  const ws1 = await start('ws1', { ca });
  const ws2 = await start('ws2', { agent: 'beta', ca });
  await listsAgents(ws1, 'alpha@ws1', 'beta@ws2');
  await waitFor(ws1, await giveCommand(ws1, 'beta@ws2', 'by TLS'));
  expect(takenPrompts(ws2.session.ledger).map(({ prompt }) => prompt)).toEqual(['by TLS']);
});

test.each([
  ['no certificate of an authority', {}],
  ['that of another authority', { ca: otherCa }],
])('a host that is given %s stays out, and says what to give', async (_what, trust) => {
  const host = await start('ws3', { ...trust, joins: false });
  await expect
    .poll(async () => (await host.ask('GET', '/houmao/fleet')).body)
    .toMatchObject({ state: 'offline', detail: expect.stringContaining('--fleet-ca') });
});

test('the library checks an address as `localhost`; where this fails, the workaround in settings.ts can go', async () => {
  const tls = { caFile: ca };
  const failed: Error = await connect({ servers: node.url, tls, reconnect: false }).then(
    () => new Error('connected'),
    (error: Error) => error,
  );
  expect(failed).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID', host: 'localhost' });
});
