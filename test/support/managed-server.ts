import { join } from 'node:path';
import type { AgentHost } from '../../src/launch/agent-host.js';
import { type ServerPaths, serverPaths } from '../../src/server/directory/server-paths.js';
import { serverHandlers } from '../../src/server/handlers/handlers.js';
import { serverSurface } from '../../src/server/process/server-process.js';
import { ManagedAgentServer } from '../../src/server/server.js';
import { bindHere } from './bind-here.js';
import { type Answer, call } from './http.js';
import { hostIn } from './launch-host.js';
import type { OwnTmux } from './own-tmux.js';
import { recordingFlags } from './run/recorded-answers.js';
import { type ServingProcess, startServing } from './serving-process.js';
import { serverProgram } from './test-session.js';

export interface ManagedServer {
  readonly server: ManagedAgentServer;
  /** The machine as this server sees it: agents that are launched with it are agents of the server. */
  readonly host: AgentHost;
  readonly url: string;
  /** The faults inside. */
  readonly faults: string[];
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/** A host with everything below one folder, and with the tmux server of a test. */
export const managedHost = (folder: string, tmux?: OwnTmux): AgentHost =>
  tmux ? { ...hostIn(folder, tmux.tmux.environment), tmux: tmux.tmux } : hostIn(folder);

/**
 * A server of this very process over a folder of its own: registry, runtime and server root are in it.
 * @param tmux left out, the agents' tmux server is that of this process's environment.
 */
export async function openManagedServer(
  folder: string,
  tmux?: OwnTmux,
  { allowsPrivateWebhooks = true } = {},
): Promise<ManagedServer> {
  const host = managedHost(folder, tmux);
  const faults: string[] = [];
  const surface = await bindHere(serverSurface, 'server-token', (fault) => void faults.push(fault));
  const url = `http://127.0.0.1:${surface.port}`;
  const server = new ManagedAgentServer({
    paths: serverPaths(join(folder, 'server')),
    host,
    fleet: null,
    names: [],
    timings: {},
    allowsPrivateWebhooks,
    instance: { pid: process.pid, apiBaseUrl: url, startedAtUtc: '2026-01-01T00:00:00+00:00' },
    stop: () => undefined,
    report: (fault) => void faults.push(fault),
  });
  await server.start();
  surface.answerWith(serverHandlers(server) as unknown as Record<string, unknown>, null, {
    answered: server.metrics.answered,
  });
  return {
    server,
    host,
    url,
    faults,
    ask: (...given) => call(url, ...given),
    async close() {
      await surface.stop(() => Promise.resolve());
      await server.close();
    },
  };
}

/** A real server process. */
export interface ServerProcess extends ServingProcess {
  readonly paths: ServerPaths;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/**
 * Starts `houmao-server` over a folder, with the same places in it as {@link openManagedServer}, and waits until it says where it
 * listens. Answers that break the contract throw.
 */
export async function startManagedServer(
  host: AgentHost,
  folder: string,
  options: {
    flags?: readonly string[];
    environment?: NodeJS.ProcessEnv;
    /** A command that the server is started by, such as one that enters a namespace. */
    through?: readonly string[];
  } = {},
): Promise<ServerProcess> {
  const root = join(folder, 'server');
  const own = ['--root', root, '--port', '0', ...(options.flags ?? [])];
  const program = [process.execPath, ...recordingFlags(), serverProgram];
  const serving = await startServing([...(options.through ?? []), ...program, ...own], {
    environment: {
      ...host.environment,
      ...host.tmux.environment,
      HOUMAO_STRICT_RESPONSES: '1',
      ...options.environment,
    },
  });
  return { ...serving, paths: serverPaths(root), ask: (...given) => call(serving.url, ...given) };
}
