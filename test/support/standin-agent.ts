import { join } from 'node:path';
import type { AgentHost } from '../../src/launch/agent-host.js';
import { checkLaunch } from '../../src/launch/check-launch.js';
import { createSession } from '../../src/launch/create-session.js';
import type { SessionPaths } from '../../src/session/session-paths.js';
import { requestFor } from './launch-host.js';

/** A stand-in agent of a host, with a tmux session. */
export interface StandinAgent {
  name: string;
  transport: 'tui' | 'headless';
  paths: SessionPaths;
  /** One line per prompt that it took, and one per end. */
  ledger: string;
}

/** Launches one as `houmao-mgr agents launch` would, without a gateway. @param folder holds its home and its ledger. */
export async function launchStandin(
  host: AgentHost,
  folder: string,
  name: string,
  transport: StandinAgent['transport'],
): Promise<StandinAgent> {
  const ledger = join(folder, `${name}.ledger`);
  const request = checkLaunch(
    requestFor(name, folder, {
      tmux: true,
      terminal: transport === 'tui',
      homePath: join(folder, `${name}-home`),
      variables: [{ name: 'HOUMAO_STANDIN_LEDGER', value: ledger }],
    }),
    host,
  );
  return { name, transport, ledger, paths: await createSession(request, host) };
}
