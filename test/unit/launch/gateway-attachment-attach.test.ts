import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/foundation/clock.js';
import type { AgentHost } from '../../../src/launch/agent-host.js';
import { checkLaunch } from '../../../src/launch/check-launch.js';
import { createSession } from '../../../src/launch/create-session.js';
import { attachGateway } from '../../../src/launch/gateway-attachment.js';
import type { GatewaySettings } from '../../../src/launch/gateway-settings.js';
import { LaunchFault } from '../../../src/launch/launch-fault.js';
import { changeDesiredConfig } from '../../../src/session/gateway-start-files.js';
import type { SessionPaths } from '../../../src/session/session-paths.js';
import { hostIn, requestFor } from '../../support/launch-host.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const anyRequest: GatewaySettings = {
  host: null,
  port: null,
  mode: null,
  diagnosticLog: null,
  keeping: {},
  flags: [],
};
const launched = (host: AgentHost, folder: string): Promise<SessionPaths> =>
  createSession(checkLaunch(requestFor('alpha', folder), host), host);

test.each([
  ['the caller', { ...anyRequest, port: 6000 }, {}, null],
  ['the environment', anyRequest, { HOUMAO_AGENT_GATEWAY_PORT: '6000' }, null],
  ['the gateway before', anyRequest, {}, 6000],
])(
  'a port that nobody can call is refused, also when %s names it',
  async (_who, requested, environment, before) => {
    const folder = temporaryFolder();
    const host = hostIn(folder, environment);
    const paths = await launched(host, folder);
    if (before !== null) changeDesiredConfig(paths.desiredConfig, { desired_port: before });
    const attaching = attachGateway(paths, requested, host);
    await expect(attaching).rejects.toThrow(LaunchFault);
    await expect(attaching).rejects.toThrow(/refuse to call port 6000 .*another one/);
    expect(existsSync(paths.log)).toBe(false);
  },
);

/** A gateway that never listens, and notes how it is asked to stop. */
const lateGateway = (reported: string, ready: string): string => `
require('node:net').Server.prototype.listen = function () { return this; };
setInterval(() => undefined, 1000);
const note = (signal) => { require('node:fs').writeFileSync(${JSON.stringify(reported)}, signal); process.exit(0); };
process.once('SIGTERM', () => note('SIGTERM'));
require('node:fs').writeFileSync(${JSON.stringify(ready)}, '');
`;

test('a gateway that is late is asked to stop, and not killed before it has', async () => {
  const folder = temporaryFolder();
  const [reported, ready, late] = ['signal', 'ready', 'late.cjs'].map((name) => join(folder, name));
  if (!reported || !ready || !late) throw new Error('no names');
  writeFileSync(late, lateGateway(reported, ready));
  // Its time to come up is over as soon as it stands; then no time passes any more.
  const clock: Clock = { ...systemClock, monotonic: () => (existsSync(ready) ? 11_000 : 0) };
  const host = { ...hostIn(folder, { NODE_OPTIONS: `--require ${late}` }), clock };
  const paths = await launched(host, folder);
  await expect(attachGateway(paths, anyRequest, host)).rejects.toThrow(/was not ready within 10 s/);
  expect(readFileSync(reported, 'utf8')).toBe('SIGTERM');
});
