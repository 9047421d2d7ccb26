import { readFailure } from './failed-fetch.js';
import { isLevel, type LogLevel, levels } from './log.js';
import type { Environment } from './surface.js';

/**
 * Makes the environment of a surface's client in Node. On loopback no token is sent: the server recognises its own user, and a
 * token that was set for a server on another machine would be refused.
 *
 * @param variable the name of the environment variable with the token for addresses that are not loopback.
 * @param onThisMachine returns the token of the server on that port of this machine; null when it cannot be read.
 */
export const nodeEnvironment = (
  variable: string,
  onThisMachine: (port: number) => Promise<string | null>,
): Environment => ({
  async findToken(baseUrl) {
    const { hostname, port, protocol } = new URL(baseUrl);
    if (isLoopback(hostname)) return null;
    return process.env[variable] || onThisMachine(Number(port || (protocol === 'https:' ? 443 : 80)));
  },
  obeysProxyVariables: () => process.env.HOUMAO_GATEWAY_RESPECT_PROXY_ENV === '1',
  runtime,
  readFailure,
  log: {
    level: wantedLevel,
    print: (_level, line) => print(line),
  },
});

/** Prints to standard error, so that the program's standard output stays clean. */
const print = (line: string) => void process.stderr.write(`${line}\n`);

/** Reads the level; an unknown word is reported, and stops no program. */
function wantedLevel(): LogLevel {
  const word = process.env.HOUMAO_LOG || 'off';
  if (isLevel(word)) return word;
  print(`houmao: HOUMAO_LOG must be ${levels.join(', ')}, such as HOUMAO_LOG=debug; nothing is logged`);
  return 'off';
}

const { bun, deno, node } = process.versions;
const runtime = bun ? `bun ${bun}` : deno ? `deno ${deno}` : `node ${node}`;

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
