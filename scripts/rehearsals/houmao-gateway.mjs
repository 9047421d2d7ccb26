// A gateway that starts, answers and stops, for scripts/build/cache-code.mjs.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock } from '../../dist/src/foundation/clock.js';
import { agentHost } from '../../dist/src/launch/agent-host.js';
import { createSession } from '../../dist/src/launch/create-session.js';
import { serveOnce } from '../build/serve-once.mjs';

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
    const args = ['--gateway-root', root];
    await serveOnce({ main, args, environment, load, paths: ['/v1/status'] }, served);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
