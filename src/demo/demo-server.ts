import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { wordsOfLine } from '../foundation/program-line.js';
import { startOf } from '../foundation/programs.js';
import { type AgentHost, gatewayEnvironment } from '../launch/agent-host.js';
import { LaunchFault } from '../launch/launch-fault.js';
import { serverInstanceFile } from '../server/directory/server-instance.js';
import { serverPaths, serverRootsFolder } from '../server/directory/server-paths.js';

/** The server of the demo. */
export interface DemoServer {
  url: string;
  pid: number;
  /** False when it ran before: then it goes on. */
  started: boolean;
  /** Ends it, if it was started here, and waits for that. */
  stop(): Promise<void>;
}

/** What `houmao-server` ends with when it cannot start (docs/decisions.md#one-gateway-per-root). */
const exits = { port: 3, rootTaken: 4 } as const;

/**
 * Starts a server over the agents of the demo, or finds the one of another `npm start`.
 * @param port preferred; any other one where it is taken.
 */
export async function startServer(port: number, host: AgentHost): Promise<DemoServer> {
  // Beside the servers that somebody else starts here, so that houmao-mgr finds it like them.
  const root = join(serverRootsFolder(host.runtimeRoot), 'npm-start');
  const server = await run(root, port, host);
  if (!('exit' in server)) return server;
  if (server.exit === exits.port && port !== 0) return startServer(0, host);
  const running =
    server.exit === exits.rootTaken
      ? serverInstanceFile.readIfUsable(serverPaths(root).currentInstance)
      : null;
  if (!running) throw new LaunchFault(`The server did not start: ${server.said}`);
  return { url: running.api_base_url, pid: running.pid, started: false, stop: async () => undefined };
}

/** @returns what one said that did not come up. */
async function run(
  root: string,
  port: number,
  host: AgentHost,
): Promise<DemoServer | { exit: number; said: string }> {
  const [node, program] = await startOf('houmao-server', host.environment);
  const child = spawn(
    node,
    [program, '--root', root, '--port', String(port)],
    // A Ctrl-C is heard here, and the server is told when the gateways have ended.
    { env: gatewayEnvironment(host), detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  const ended = once(child, 'close').then(([code]) => (code as number | null) ?? 1);
  const url = new Promise<string>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (address) resolve(address);
    });
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const came = await Promise.race([url, ended]);
  if (typeof came === 'number') return { exit: came, said: wordsOfLine(said.trim()) };
  child.stderr.pipe(process.stderr);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  return { url: came, pid: child.pid ?? 0, started: true, stop };
}
