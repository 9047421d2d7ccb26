// A program that starts, answers and stops in this very process, for the rehearsals.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/**
 * @param program its `main`, the arguments beside host and port, and the environment.
 * @param paths what is asked of it beside `/health`.
 * @param served called when it has answered: what was compiled by then is what a start needs.
 */
export async function serveOnce({ main, args, environment, load, paths }, served) {
  const port = await freePort();
  const say = console.log;
  console.log = () => undefined;
  let over = false;
  const ended = main([...args, '--host', '127.0.0.1', '--port', String(port)], environment, load);
  ended.finally(() => (over = true)).catch(() => undefined);
  const url = `http://127.0.0.1:${port}`;
  while (!over && !(await answers(`${url}/health`))) await setTimeout(10);
  for (const path of paths) await answers(`${url}${path}`);
  served();
  process.kill(process.pid, 'SIGTERM');
  const code = await ended;
  console.log = say;
  if (code !== 0) throw new Error(`the program ended with ${code}`);
}

const answers = async (url) => {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(5000) })).ok;
  } catch {
    return false;
  }
};

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
