import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/foundation/clock.js';
import { agentHost } from '../../src/launch/agent-host.js';
import { createSession } from '../../src/launch/create-session.js';
import type { LaunchRequest } from '../../src/launch/launch-request.js';
import type { SessionPaths } from '../../src/session/session-paths.js';

const project = new URL('../../', import.meta.url).pathname;
export const standinProgram = join(project, 'dist/programs/standin-agent.js');
export const gatewayProgram = join(project, 'dist/programs/houmao-gateway.js');
export const serverProgram = join(project, 'dist/programs/houmao-server.js');
export const managerProgram = join(project, 'dist/programs/houmao-mgr.js');

/** A folder of its own for one test file, with everything an agent needs in it. */
export interface TestSession {
  folder: string;
  paths: SessionPaths;
  /** One line per prompt the stand-in agent took, and one per end. */
  ledger: string;
  /** The environment that keeps registry and runtime inside the folder. */
  environment: NodeJS.ProcessEnv;
  remove(): void;
}

let counter = 0;

/**
 * Makes a session root for the stand-in agent (or another tool's executable); nothing runs yet.
 * @param options.host variables of the user who launches it, such as which tmux server it means.
 */
export async function makeSession(
  options: Partial<LaunchRequest> & { folder?: string; host?: NodeJS.ProcessEnv } = {},
): Promise<TestSession> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'houmao-test-'));
  const ledger = join(folder, 'ledger.jsonl');
  const environment = {
    ...process.env,
    ...options.host,
    HOUMAO_GLOBAL_RUNTIME_DIR: join(folder, 'runtime'),
    HOUMAO_GLOBAL_REGISTRY_DIR: join(folder, 'registry'),
  };
  counter += 1;
  const { folder: _folder, host: _host, ...given } = options;
  const request: LaunchRequest = {
    tool: 'claude',
    name: `test-${process.pid}-${counter}`,
    role: null,
    roleName: 'default',
    model: null,
    reasoningLevel: null,
    workingDirectory: folder,
    homePath: join(folder, 'home'),
    executable: standinProgram,
    environment: { PATH: process.env.PATH ?? '', HOME: folder, HOUMAO_STANDIN_LEDGER: ledger },
    toolArguments: [],
    unattended: false,
    tmux: false,
    terminal: false,
    hooks: false,
    skills: false,
    mailbox: null,
    turnTimeLimitSeconds: null,
    startup: { kind: 'none' },
    ...given,
  };
  const paths = await createSession(request, agentHost(environment, systemClock));
  return {
    folder,
    paths,
    ledger,
    environment,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
