import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { promptAndWait } from '../../support/http.js';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { agentsOf, takenPrompts } from '../recovery/evidence.js';
import { idOf, pathOf } from './turns-of.js';

// A manifest that names this very server, by another name than the one it has for itself.

let session: TestSession;
let server: ServerProcess;
let gateway: GatewayProcess | null = null;
afterEach(async () => {
  await gateway?.stop();
  gateway = null;
  expect(await server.stop()).toBe(0);
  expect(agentsOf(session)).toEqual([]);
  session.remove();
});

function name(api_base_url: string): void {
  const manifest = JSON.parse(readFileSync(session.paths.manifest, 'utf8'));
  const authority = { api_base_url, managed_agent_ref: idOf(session) };
  manifest.gateway_authority = {
    attach: { ...manifest.gateway_authority?.attach, ...authority },
    control: { ...manifest.gateway_authority?.control, ...authority },
  };
  manifest.runtime.agent_def_dir = null;
  writeFileSync(session.paths.manifest, JSON.stringify(manifest));
}
const prompt = async (words: string) => {
  const { status, body } = await server.ask('POST', pathOf(session, '/turns'), { prompt: words });
  expect({ status, detail: body.detail }).toMatchObject({ status: 200 });
  return (await server.ask('GET', pathOf(session, `/turns/${body.turn_id}?wait_seconds=30`))).body;
};

test('a name that the server was given is its own: it runs the turns, also those of a gateway', async () => {
  session = await makeSession();
  const flags = ['--host', '0.0.0.0', '--allowed-host', '127.0.0.2'];
  server = await startManagedServer(managedHost(session.folder), session.folder, { flags });
  name(`http://127.0.0.2:${server.port}`);
  const own = await prompt('by the server');
  expect(own).toMatchObject({ status: 'completed' });
  gateway = await startGateway(session);
  const { turn } = await promptAndWait(gateway.url, 'by the gateway');
  expect(turn).toMatchObject({ outcome: 'completed' });
  expect(takenPrompts(session.ledger).map(({ turn_id }) => turn_id)).toEqual([own.turn_id, turn.turn_id]);
});

test('a name that it does not know leads round no circle: the turn fails, and says why', async () => {
  session = await makeSession();
  server = await startManagedServer(managedHost(session.folder), session.folder);
  const elsewhere = createServer((caller) => {
    const way = connect(server.port, '127.0.0.1');
    caller.pipe(way).pipe(caller);
    for (const end of [caller, way])
      end.on('error', () => {
        caller.destroy();
        way.destroy();
      });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => elsewhere.once('listening', resolve));
  name(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`);
  const turn = await prompt('round and round');
  expect(turn).toMatchObject({ status: 'failed', error: expect.stringContaining('names another server') });
  const none = await server.ask('POST', pathOf(session, '/gateway/internal/headless-interrupt'));
  expect(none).toMatchObject({ status: 200, body: { turn_id: null } });
  expect(takenPrompts(session.ledger)).toEqual([]);
  elsewhere.close();
});
