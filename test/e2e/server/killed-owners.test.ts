import { expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { managedHost, startManagedServer } from '../../support/managed-server.js';
import { makeSession } from '../../support/test-session.js';
import { agentsOf, heldAgent, takenPrompts } from '../recovery/evidence.js';
import { pathOf } from './turns-of.js';

const rounds = 8;

/** The programs that die while a turn runs, by the number of the round; a gateway is there in every other one. */
const dies = (round: number): readonly ('server' | 'gateway')[] =>
  ([['server'], ['gateway'], ['server', 'gateway'], ['gateway', 'server']] as const)[round % 4] ?? [];

test('servers and gateways are killed during turns: none is lost, none runs twice', async () => {
  const session = await makeSession();
  const flags: string[] = [];
  const start = () => startManagedServer(managedHost(session.folder), session.folder, { flags });
  let server = await start();
  let gateway: GatewayProcess | null = null;
  const turns: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (dies(round).includes('gateway') && !gateway) gateway = await startGateway(session);
    const prompt = `[[slow=1500]] round ${round}`;
    const begun = await server.ask('POST', pathOf(session, '/turns'), { prompt });
    expect([begun.status, begun.body.detail]).toEqual([200, expect.any(String)]);
    turns.push(begun.body.turn_id);
    const goOn = await heldAgent(session.ledger, prompt);
    for (const victim of dies(round)) {
      if (victim === 'gateway') {
        await gateway?.kill();
        gateway = null;
      } else {
        await server.kill();
        server = await start();
      }
    }
    goOn();
    const ended = await server.ask('GET', pathOf(session, `/turns/${begun.body.turn_id}?wait_seconds=30`));
    expect(ended.body).toMatchObject({ status: 'completed', returncode: 0, turn_index: round + 1 });
  }
  expect(takenPrompts(session.ledger).map(({ turn_id }) => turn_id)).toEqual(turns);
  expect(agentsOf(session)).toEqual([]);
  expect(await server.stop()).toBe(0);
  session.remove();
}, 180_000);
