import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withoutTime } from '../../../src/foundation/program-line.js';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { accepted, expectEachOnce, startAndFail } from './promises.js';

let session: TestSession;
let gateway: GatewayProcess;
beforeEach(async () => {
  session = await makeSession();
});
afterEach(() => session.remove());

const limited = (descriptors: number) => ['sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh'];

test('callers that take every descriptor take none from turns; afterwards all are served again', async () => {
  gateway = await startGateway(session, { through: limited(64) });
  const prompts = ['[[slow=500]] one', 'two', 'three'];
  const ids = [];
  for (const prompt of prompts) ids.push(await accepted(gateway, prompt));
  const crowd = await Promise.all(Array.from({ length: 150 }, () => open(gateway.port)));
  // A caller that was let in and says nothing is closed after some seconds, too, but not without a word.
  const dropped = () => crowd.filter((socket) => socket.closed && socket.bytesRead === 0).length;
  await expect.poll(dropped).toBeGreaterThan(100);
  expect(dropped()).toBeLessThan(150);
  for (const socket of crowd) socket.destroy();
  await expect
    .poll(async () => (await call(gateway.url, 'GET', '/health').catch(() => null))?.status)
    .toBe(200);
  await expectEachOnce(gateway, session.ledger, ids, prompts);
  expect((await call(gateway.url, 'GET', '/v1/status')).body.request_admission).toBe('open');
  expect(await gateway.stop()).toBe(0);
});

test('too few to serve with: exit 1 and a line that says so; with enough it starts', async () => {
  const refused = await startAndFail(session, limited(40));
  expect({ ...refused, stderr: withoutTime(refused.stderr) }).toEqual({
    code: 1,
    stderr: `houmao-gateway: ${session.paths.root}: its gateway may have 40 file descriptors and needs 64; raise the limit (ulimit -n)\n`,
  });
  gateway = await startGateway(session, { through: limited(64) });
  const id = await accepted(gateway, 'with enough of them');
  await expectEachOnce(gateway, session.ledger, [id], ['with enough of them']);
  expect(await gateway.stop()).toBe(0);
});

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}
