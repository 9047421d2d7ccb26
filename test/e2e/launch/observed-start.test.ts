import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { tryLock } from '../../../src/foundation/directory-lock.js';
import { listAgents } from '../../../src/launch/agent-directory.js';
import { checkLaunch } from '../../../src/launch/check-launch.js';
import { createSession } from '../../../src/launch/create-session.js';
import { attachGateway } from '../../../src/launch/gateway-attachment.js';
import { stopAgent } from '../../../src/launch/stop-agent.js';
import { hostIn, requestFor } from '../../support/launch-host.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const host = hostIn(folder);
afterAll(async () => {
  for (const agent of listAgents(host).agents) await stopAgent(agent, host);
});

/** Null of a process that has ended meanwhile. */
const orNull = <T>(look: () => T): T | null => {
  try {
    return look();
  } catch {
    return null;
  }
};

/** Whether a process but this one has the file open, and is a gateway of that root. */
const isOpenInGateway = (path: string, root: string): boolean =>
  readdirSync('/proc')
    .filter(
      (pid) =>
        /^\d+$/.test(pid) && orNull(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.includes(root),
    )
    .some((pid) =>
      orNull(() => readdirSync(`/proc/${pid}/fd`))?.some(
        (fd) => orNull(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) === path,
      ),
    );

test('a gateway that starts while somebody looks whether one is there comes up all the same', async () => {
  const paths = await createSession(checkLaunch(requestFor('alpha', folder), host), host);
  const look = tryLock(paths.lock);
  const requested = { host: null, port: null, mode: null, diagnosticLog: null, keeping: {}, flags: [] };
  const attaching = attachGateway(paths, requested, host);
  await expect.poll(() => isOpenInGateway(paths.lock, paths.root)).toBe(true);
  look?.release();
  expect((await attaching).started).toBe(true);
});
