import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../dist/src/foundation/clock.js';
import { agentHost } from '../../dist/src/launch/agent-host.js';
import { createSession } from '../../dist/src/launch/create-session.js';

const built = (name) => fileURLToPath(new URL(`../../dist/programs/${name}.js`, import.meta.url));
export const gatewayProgram = built('houmao-gateway');
export const serverProgram = built('houmao-server');

/** A session root for the stand-in agent in a folder of its own. @param mailbox of its launch, for that folder; null for none. */
export async function makeSession(name, mailbox = null) {
  const folder = mkdtempSync(join(tmpdir(), `houmao-${name}-`));
  const ledger = join(folder, 'ledger.jsonl');
  const environment = {
    ...process.env,
    HOUMAO_GLOBAL_RUNTIME_DIR: join(folder, 'runtime'),
    HOUMAO_GLOBAL_REGISTRY_DIR: join(folder, 'registry'),
  };
  const paths = await createSession(
    {
      tool: 'claude',
      name: `${name}-${process.pid}`,
      role: null,
      roleName: 'default',
      model: null,
      reasoningLevel: null,
      workingDirectory: folder,
      homePath: join(folder, 'home'),
      executable: built('standin-agent'),
      environment: { PATH: process.env.PATH ?? '', HOME: folder, HOUMAO_STANDIN_LEDGER: ledger },
      toolArguments: [],
      unattended: false,
      mailbox: mailbox?.(folder) ?? null,
      tmux: false,
      terminal: false,
      turnTimeLimitSeconds: null,
      startup: { kind: 'none' },
    },
    agentHost(environment, systemClock),
  );
  return {
    folder,
    ledger,
    environment,
    paths,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
