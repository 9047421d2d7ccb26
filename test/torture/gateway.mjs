import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { gatewayProgram } from './session.mjs';

/**
 * Starts a gateway in a process group of its own. `ready` resolves with its address, or with null when it ended before
 * it had one.
 */
export function launchGateway(session) {
  const child = spawn(
    process.execPath,
    [gatewayProgram, '--gateway-root', session.paths.root, '--host', '127.0.0.1', '--port', '0'],
    {
      env: { ...session.environment, HOUMAO_STRICT_RESPONSES: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  const ended = once(child, 'exit');
  let [stdout, stderr] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const announced = new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      const url = /(http:\/\/127\.0\.0\.1:\d+) /.exec(stdout)?.[1];
      if (url) resolve(url);
    });
  });
  return {
    ready: Promise.race([announced, ended.then(() => null)]),
    stderr: () => stderr,
    pid: child.pid,
    /**
     * @param how 'process', 'group' or 'clean' (SIGTERM). Resolves when it is gone.
     * @throws Error when it had ended by itself, or not in the way that was asked for.
     */
    async end(how) {
      try {
        if (how === 'clean') child.kill('SIGTERM');
        else if (how === 'group') process.kill(-child.pid, 'SIGKILL');
        else child.kill('SIGKILL');
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
      const [code, signal] = await ended;
      if (how === 'clean' ? code !== 0 : signal !== 'SIGKILL')
        throw new Error(`the gateway ended with ${code ?? signal}: ${stderr}`);
    },
  };
}
