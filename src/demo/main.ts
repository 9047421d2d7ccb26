#!/usr/bin/env node
// What `npm start` runs: the stand-in agent and its gateway, until Ctrl-C. Everything it makes is below `.houmao/`.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../foundation/clock.js';
import { programFile } from '../foundation/programs.js';
import { packageRoot } from '../foundation/version.js';
import { agentHost } from '../launch/agent-host.js';
import { agentIdOf } from '../launch/agent-name.js';
import { attachGateway } from '../launch/attach-gateway.js';
import { createSession } from '../launch/create-session.js';

import { detachGateway } from '../launch/detach-gateway.js';
import { LaunchFault } from '../launch/launch-fault.js';
import { readRecord } from '../session/registry.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';

const home = join(packageRoot, '.houmao');
const host = agentHost(
  {
    ...process.env,
    HOUMAO_GLOBAL_RUNTIME_DIR: join(home, 'runtime'),
    HOUMAO_GLOBAL_REGISTRY_DIR: join(home, 'registry'),
  },
  systemClock,
);
const preferredPort = 43123;

const wish = { host: '127.0.0.1', mode: 'detached_process', diagnosticLog: null, flags: [] } as const;

/** The demo's session: the one of the last start, or a new one. */
async function openSession(): Promise<SessionPaths> {
  const record = readRecord(host.registryRoot, agentIdOf('demo'));
  if (record?.runtime.session_root && existsSync(record.runtime.manifest_path))
    return sessionPaths(record.runtime.session_root);
  const workingDirectory = join(home, 'workspace');
  mkdirSync(workingDirectory, { recursive: true });
  return createSession(
    {
      tool: 'claude',
      name: 'demo',
      role: null,
      roleName: 'default',
      model: null,
      reasoningLevel: null,
      workingDirectory,
      homePath: join(home, 'standin'),
      executable: programFile('standin-agent'),
      environment: { PATH: process.env.PATH ?? '', HOME: home },
      toolArguments: [],
      unattended: false,
      tmux: false,
      terminal: false,
      hooks: false,
      mailbox: null,
      turnTimeLimitSeconds: null,
      startup: { kind: 'none' },
    },
    host,
  );
}

async function attachSomewhere(paths: SessionPaths) {
  const port = process.env.HOUMAO_DEMO_PORT;
  if (port !== undefined) return attachGateway(paths, { ...wish, port: Number(port) }, host);
  try {
    return await attachGateway(paths, { ...wish, port: preferredPort }, host);
  } catch (error) {
    if (!/in use/.test((error as Error).message)) throw error;
    console.log(`Port ${preferredPort} is taken; any free one will do.`);
    return attachGateway(paths, { ...wish, port: 0 }, host);
  }
}

async function run(): Promise<number> {
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  const paths = await openSession();
  const { url, started } = await attachSomewhere(paths);
  console.log(`
The gateway of the agent "demo" serves. The agent is a stand-in: it needs no account and echoes what you say.

  Read and try the API   ${url}/docs
  The contract           ${url}/openapi.json
  Its files              ${paths.root}

A first prompt, in another terminal:

  curl -s ${url}/v1/requests -H 'Content-Type: application/json' \\
    -d '{"kind":"submit_prompt","payload":{"prompt":"Hello"}}'

${started ? 'Ctrl-C stops it.' : 'It was running already and goes on when you leave with Ctrl-C.'}`);
  const alive = setInterval(() => undefined, 1 << 30);
  await stopped;
  clearInterval(alive);
  if (started) {
    console.log('\nStopping the gateway');
    await detachGateway(paths, host);
  }
  console.log('Stopped.');
  return 0;
}

try {
  process.exitCode = await run();
} catch (error) {
  console.error(error instanceof LaunchFault ? `npm start: ${error.message}` : error);
  process.exitCode = 1;
}
