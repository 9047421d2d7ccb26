import { join, resolve } from 'node:path';

/** The paths of one server root; all absolute. */
export interface ServerPaths {
  readonly root: string;
  /** The output of a server in the background. */
  readonly stdoutLog: string;
  readonly stderrLog: string;
  readonly run: string;
  readonly currentInstance: string;
  readonly pid: string;
  readonly lock: string;
  readonly accessToken: string;
  /** The authority records of the headless agents that this server launched, a folder each. */
  readonly managedAgents: string;
  /** Launches under way, and the answers to launches that had a key. */
  readonly launches: string;
  /** The database of the notifications. */
  readonly notifications: string;
  /** The database of this host about its fleet. */
  readonly fleet: string;
  /** The registrations of TUI agents, a folder each. */
  readonly sessions: string;
}

/** The port of a server that is given none. */
export const usualServerPort = 9889;

/**
 * Returns the folder for the roots of servers that are given none.
 * @param runtimeRoot of the host, absolute.
 */
export const serverRootsFolder = (runtimeRoot: string): string => join(runtimeRoot, 'houmao_servers');

/**
 * Returns the root of a server that is given none.
 * @param runtimeRoot of the host, absolute.
 */
export const usualServerRoot = (runtimeRoot: string, listener: { host: string; port: number }): string =>
  join(serverRootsFolder(runtimeRoot), `${listener.host}-${listener.port}`);

export function serverPaths(given: string): ServerPaths {
  const root = resolve(given);
  const run = join(root, 'run');
  const state = join(root, 'state');
  return {
    root,
    stdoutLog: join(root, 'logs', 'houmao-server.stdout.log'),
    stderrLog: join(root, 'logs', 'houmao-server.stderr.log'),
    run,
    currentInstance: join(run, 'current-instance.json'),
    pid: join(run, 'houmao-server.pid'),
    lock: join(run, 'houmao-server.lock'),
    accessToken: join(root, 'access-token'),
    managedAgents: join(state, 'managed_agents'),
    launches: join(state, 'launches'),
    notifications: join(state, 'notifications.sqlite'),
    fleet: join(state, 'fleet.sqlite'),
    sessions: join(root, 'sessions'),
  };
}
