import { makeSession } from '../../test/torture/session.mjs';
import { manyAgents } from './agents.mjs';
import { cpuOf, drive, sleep, startGateway, startServer } from './processes.mjs';
import { median, milliseconds, table } from './report.mjs';

/** The processor time that the managed-agent server itself may take for one forwarded call, in milliseconds. */
const perPassedCall = 0.5;
/** From one connection on, so that each call is on its own; and more than one gateway can follow. */
const crowds = [1, 16];

/** The costs of a server: for forwarded calls, and over many agents. */
export async function serverCosts(options) {
  await passedCalls(options);
  await manyAgents(options);
}

/**
 * Measures the cost of a call to an agent's gateway in the server between. Each is measured at the gateway itself in the same run, too.
 * @param say called with what is under way.
 */
async function passedCalls({ say, seconds, warmSeconds, rounds }) {
  const session = await makeSession('bench-passed');
  const gateway = await startGateway(session);
  const server = await startServer(session);
  try {
    const agent = `/houmao/agents/bench-passed-${process.pid}/gateway`;
    const prompt = JSON.stringify({ kind: 'submit_prompt', payload: { prompt: 'p'.repeat(300) } });
    // Accepted requests wait meanwhile: nothing but the calls is measured.
    await call(gateway, 'PUT', '/v1/control/queue', { paused: true });
    const calls = [
      ['`GET` control/queue', 'GET', '/control/queue', undefined],
      ['`POST` requests', 'POST', '/requests', prompt],
    ];
    const rows = [];
    for (const [name, method, path, body] of calls)
      for (const connections of crowds) {
        say(`${name} passed on, ${connections} connections`);
        const own = { connections, seconds, method, path: `/v1${path}`, body };
        const passed = { ...own, path: `${agent}${path}` };
        await drive(server, { ...passed, seconds: warmSeconds });
        const seen = { server: [], direct: [], p50: [], directP50: [] };
        for (let round = 0; round < rounds; round += 1) {
          const through = await drive(server, passed);
          const direct = await drive(gateway, own);
          requireAll(through.statuses, 200);
          seen.server.push(through.cpuMilliseconds);
          seen.p50.push(through.p50);
          seen.direct.push(direct.cpuMilliseconds);
          seen.directP50.push(direct.p50);
        }
        const cost = median(seen.server);
        rows.push([
          ...[name, connections, `${milliseconds(cost)}${cost > perPassedCall ? ' **over**' : ''}`],
          ...[milliseconds(median(seen.direct)), milliseconds(median(seen.p50))],
          milliseconds(median(seen.directP50)),
        ]);
      }
    console.log('## Calls that the server passes on\n');
    const head = [
      'call',
      'connections',
      'server, processor',
      'gateway alone, processor',
      'p50',
      'p50 direct',
    ];
    console.log(table(head, rows));
    console.log(
      `Idle with its connections open: ${milliseconds(await idleCost(server))} of processor per second.\n`,
    );
    return rows;
  } finally {
    await server.stop();
    await gateway.stop();
    session.remove();
  }
}

async function idleCost({ pid }) {
  const before = cpuOf(pid);
  await sleep(5000);
  return (cpuOf(pid) - before) / 5;
}

const call = ({ url }, method, path, body) =>
  fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

function requireAll(statuses, wanted) {
  const seen = Object.keys(statuses);
  if (seen.length !== 1 || seen[0] !== String(wanted))
    throw new Error(`the server answered ${JSON.stringify(statuses)}, not ${wanted} only`);
}
