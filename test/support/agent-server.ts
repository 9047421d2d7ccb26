import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Answer, call } from './http.js';

const program = fileURLToPath(new URL('./agent-server.mjs', import.meta.url));

/** The server that a gateway's agent lives on: a process of its own. */
export interface AgentServer {
  readonly url: string;
  readonly child: ChildProcess;
  /** Changes how it behaves; the rest stays. */
  behave(change: Record<string, unknown>): Promise<void>;
  /** The calls of the gateway to it, oldest first. */
  calls(): Promise<{ method: string; path: string; query: Record<string, string>; body: Answer['body'] }[]>;
  /** Ends its running turn as its behaviour says. */
  finish(): Promise<void>;
  /** Answers the calls that a fault "hold" holds back. */
  release(): Promise<void>;
  /** Ends it with SIGKILL and waits. */
  kill(): Promise<void>;
}

/** @param port 0 for any; another one to come back where it was. */
export async function startAgentServer(port = 0): Promise<AgentServer> {
  const child = spawn(process.execPath, [program, String(port)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const url = `http://127.0.0.1:${Number(line)}`;
  const exited = once(child, 'exit');
  return {
    url,
    child,
    behave: async (change) => {
      await call(url, 'PUT', '/behaviour', change);
    },
    calls: async () => (await call(url, 'GET', '/calls')).body,
    finish: async () => {
      await call(url, 'PUT', '/finish');
    },
    release: async () => {
      await call(url, 'PUT', '/release');
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
