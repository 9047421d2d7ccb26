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
  /** False when the server ran before; it then runs on after the demo. */
  started: boolean;
  /** Stops the server if it was started here, and waits for its end. */
  stop(): Promise<void>;
}

/** The exit codes of `houmao-server` when it cannot start (docs/decisions.md#one-gateway-per-root). */
const exits = { port: 3, rootTaken: 4 } as const;

/**
 * Starts a server over the agents of the demo, or finds the one of another `npm start`.
 * @param port the preferred port; if it is taken, the server uses any other one.
 */
export async function startServer(port: number, host: AgentHost): Promise<DemoServer> {
  // This root is beside those of the servers that users start, so that houmao-mgr finds this server too.
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

/** Starts the server. @returns its exit code and its output if it does not come up. */
async function run(
  root: string,
  port: number,
  host: AgentHost,
): Promise<DemoServer | { exit: number; said: string }> {
  const [node, program] = await startOf('houmao-server', host.environment);
  const child = spawn(
    node,
    [program, '--root', root, '--port', String(port)],
    // Ctrl-C reaches only this process, which stops the server after the gateways have ended.
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
