// A gateway that starts, answers and stops, for scripts/build/cache-code.mjs.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../../dist/src/foundation/clock.js';
import { agentHost } from '../../dist/src/launch/agent-host.js';
import { createSession } from '../../dist/src/launch/create-session.js';

/** @param served called when it has answered: what was compiled by then is what a start needs. */
export async function rehearse({ main }, load, served) {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-build-'));
  const environment = {
    ...process.env,
    HOUMAO_GLOBAL_RUNTIME_DIR: join(folder, 'runtime'),
    HOUMAO_GLOBAL_REGISTRY_DIR: join(folder, 'registry'),
  };
  try {
    const { root } = await createSession(sessionOf(folder), agentHost(environment, systemClock));
    const port = await freePort();
    const say = console.log;
    console.log = () => undefined;
    let over = false;
    const ended = main(
      ['--gateway-root', root, '--host', '127.0.0.1', '--port', String(port)],
      environment,
      load,
    );
    ended.finally(() => (over = true)).catch(() => undefined);
    while (!over && !(await answers(`http://127.0.0.1:${port}/health`))) await setTimeout(10);
    await answers(`http://127.0.0.1:${port}/v1/status`);
    served();
    process.kill(process.pid, 'SIGTERM');
    const code = await ended;
    console.log = say;
    if (code !== 0) throw new Error(`the gateway ended with ${code}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const answers = async (url) => {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(5000) })).ok;
  } catch {
    return false;
  }
};

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

const sessionOf = (folder) => ({
  tool: 'claude',
  name: 'rehearsal',
  role: null,
  roleName: 'default',
  model: null,
  reasoningLevel: null,
  workingDirectory: folder,
  homePath: join(folder, 'home'),
  executable: resolve('dist', 'programs', 'standin-agent.js'),
  environment: { PATH: process.env.PATH ?? '', HOME: folder },
  toolArguments: [],
  unattended: false,
  mailbox: null,
  tmux: false,
  turnTimeLimitSeconds: null,
  startup: { kind: 'none' },
});
