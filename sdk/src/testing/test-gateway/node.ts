import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPrograms, type Programs } from './programs.js';
import type { StartTestGateway } from './test-gateway.js';

const run = promisify(execFile);

export const startTestGateway: StartTestGateway = async ({ houmao, agent = 'standin' } = {}) => {
  const programs = findPrograms(houmao, process.cwd());
  const folder = await mkdtemp(join(tmpdir(), 'houmao-test-gateway-'));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const sessionRoot = await launch(programs, folder, agent);
    const gateway = await serve(programs, folder, sessionRoot);
    const close = async () => {
      await gateway.end();
      await remove();
    };
    const registryRoot = registryIn(folder);
    return { baseUrl: gateway.url, folder, registryRoot, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await remove();
    throw error;
  }
};

const registryIn = (folder: string): string => join(folder, 'registry');

/** Returns an environment in which other agents of the machine do not see the test gateway. */
const environmentIn = (folder: string): NodeJS.ProcessEnv => ({
  ...process.env,
  HOUMAO_GLOBAL_RUNTIME_DIR: join(folder, 'runtime'),
  HOUMAO_GLOBAL_REGISTRY_DIR: registryIn(folder),
});

/** Launches the stand-in agent. @returns the session root. */
async function launch({ manager, standin }: Programs, folder: string, agent: string): Promise<string> {
  const what = ['--tool', 'claude', '--headless', '--no-tmux', '--no-gateway', '--executable', standin];
  const where = ['--name', agent, '--home', join(folder, 'home'), '--workdir', folder];
  const args = [manager, 'agents', 'launch', ...what, ...where, '--json'];
  const { stdout } = await run(process.execPath, args, { env: environmentIn(folder) }).catch(
    (error: Error & { stderr: string }) => {
      throw new Error(`The stand-in agent could not be launched: ${error.stderr}`, { cause: error });
    },
  );
  return (JSON.parse(stdout) as { session_root: string }).session_root;
}

async function serve({ gateway }: Programs, folder: string, sessionRoot: string) {
  const args = [gateway, '--gateway-root', sessionRoot, '--host', '127.0.0.1', '--port', '0'];
  const child = spawn(process.execPath, args, {
    env: environmentIn(folder),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  // A test program that ends without closing the gateway must not leave it running.
  const kill = () => void child.kill();
  process.once('exit', kill);
  child.once('exit', () => process.removeListener('exit', kill));
  const end = async () => {
    child.kill();
    await ended;
  };
  return { url: await announcedUrl(child), end };
}

/** Waits for the gateway's address. @throws Error with its output, when it ends before it prints the address. */
function announcedUrl(child: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    const hear = (text: string) => {
      said += text;
      const url = /(http:\/\/127\.0\.0\.1:\d+) /.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.setEncoding('utf8').on('data', hear);
    child.stderr?.setEncoding('utf8').on('data', hear);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The gateway ended with ${code} at its start: ${said}`)));
  });
}
