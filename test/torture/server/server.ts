import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { AgentHost } from '../../../src/launch/agent-host.js';
import { serverProgram } from '../../support/test-session.js';

const startMilliseconds = 60_000;

/** One `houmao-server` of a root. */
export interface Server {
  url: string;
  /** How long it took until it served, in milliseconds. */
  started: number;
  kill(): Promise<void>;
  /** @throws Error when it does not end as it should. */
  stop(): Promise<void>;
}

/** @throws Error when it did not start. */
export async function startServer(host: AgentHost, folder: string): Promise<Server> {
  const began = performance.now();
  const child = spawn(process.execPath, [serverProgram, '--root', join(folder, 'server'), '--port', '0'], {
    env: { ...host.environment, HOUMAO_STRICT_RESPONSES: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'exit');
  const url = await announced(child, () => said);
  return {
    url,
    started: performance.now() - began,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      const [code, signal] = await ended;
      if (code !== 0) throw new Error(`the server ended with ${code ?? signal}: ${said}`);
    },
  };
}

function announced(child: ChildProcess, said: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the server did not start in ${startMilliseconds} ms: ${said()}`));
    }, startMilliseconds);
    let out = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      const url = /(http:\/\/127\.0\.0\.1:\d+) /.exec(out)?.[1];
      if (!url) return;
      clearTimeout(late);
      resolve(url);
    });
    child.once('exit', (code) => {
      clearTimeout(late);
      reject(new Error(`the server ended with ${code}: ${said()}`));
    });
  });
}
