// A network of its own for a test, in namespaces that need no root: machines at one switch, each of which can be cut off, as can any two of
// them from each other. What is in it is reached from here by ports of loopback alone.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listening } from '../free-port.js';
import { whenOver } from '../temporary-folder.js';

export interface Machine {
  /** Its address in the network. */
  readonly address: string;
  /** The words that start a program there, before its own. */
  readonly through: readonly string[];
  /** Returns a program of this machine as one that runs there. @param path absolute */
  program(path: string): string;
  /** Opens a port of loopback here that leads to one there. @param host on which that listens */
  portTo(port: number, host?: string): Promise<number>;
  /** Lets no packet to it or from it pass. */
  cut(): void;
  mend(): void;
}

export interface TestNetwork {
  machine(): Promise<Machine>;
  /** Has two machines lose each other; all others reach both. */
  part(one: Machine, other: Machine): void;
  rejoin(one: Machine, other: Machine): void;
}

const relay = new URL('relay.mjs', import.meta.url).pathname;
const inNamespaces = (holder: ChildProcess): string[] => [
  ...['nsenter', '--target', String(holder.pid), '--user', '--preserve-credentials', '--net'],
];

/**
 * Makes a network. It ends with its tests.
 * @throws Error in words where this machine does not let a person have namespaces.
 */
export async function testNetwork(): Promise<TestNetwork> {
  // A socket has a short path.
  const folder = mkdtempSync(join(tmpdir(), 'hnet-'));
  whenOver(() => rmSync(folder, { recursive: true, force: true }));
  const shell = (setup: string): string[] => ['sh', '-c', `${setup} && echo ready && exec cat`];
  const own = await held('unshare', [
    ...['--map-root-user', '--net'],
    ...shell('ip link set lo up && ip link add hub type bridge && ip link set hub up'),
  ]);
  const atSwitch = runner(inNamespaces(own));
  let count = 0;
  return {
    machine: async () => {
      count += 1;
      const [link, address] = [`port${count}`, `10.77.0.${count}`];
      const [enter = '', ...within] = inNamespaces(own);
      const there = await held(enter, [...within, 'unshare', '--net', ...shell('ip link set lo up')]);
      atSwitch('ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(there.pid));
      atSwitch('ip', 'link', 'set', link, 'master', 'hub', 'up');
      const through = inNamespaces(there);
      const run = runner(through);
      run('ip', 'address', 'add', `${address}/24`, 'dev', 'eth0');
      run('ip', 'link', 'set', 'eth0', 'up');
      const socket = join(folder, `${count}.sock`);
      const [program = '', ...words] = through;
      await held(program, [...words, process.execPath, relay, socket]);
      return {
        address,
        through,
        program: (path) => programThrough(through, path, join(folder, address)),
        portTo: (port, host = '127.0.0.1') => relayed(socket, `${host} ${port}\n`),
        cut: () => atSwitch('ip', 'link', 'set', link, 'down'),
        mend: () => atSwitch('ip', 'link', 'set', link, 'up'),
      };
    },
    part: (one, other) => {
      runner(one.through)('ip', 'route', 'add', 'blackhole', `${other.address}/32`);
      runner(other.through)('ip', 'route', 'add', 'blackhole', `${one.address}/32`);
    },
    rejoin: (one, other) => {
      runner(one.through)('ip', 'route', 'delete', 'blackhole', `${other.address}/32`);
      runner(other.through)('ip', 'route', 'delete', 'blackhole', `${one.address}/32`);
    },
  };
}

/** Writes a program that starts another one by words before it. @param start of its path @returns its path */
export function programThrough(through: readonly string[], path: string, start: string): string {
  const script = `${start}-${path.split('/').at(-1)}`;
  writeFileSync(script, `#!/bin/sh\nexec ${through.join(' ')} '${path}' "$@"\n`, { mode: 0o755 });
  return script;
}

const runner =
  ([program = '', ...words]: readonly string[]) =>
  (...command: string[]): void => {
    execFileSync(program, [...words, ...command], { stdio: ['ignore', 'ignore', 'pipe'] });
  };

/** Starts a program that says `ready` and then stays until its input ends, which is at the end of its tests. */
async function held(program: string, words: readonly string[]): Promise<ChildProcess> {
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  whenOver(() => void child.kill());
  const [first] = (await Promise.race([once(child.stdout, 'data'), once(child, 'close')])) as [unknown];
  if (String(first).trim() !== 'ready')
    throw new Error(`This machine must allow network namespaces in a user namespace for this test: ${said}`);
  return child;
}

/** Opens a port of loopback from which each connection goes to a relay. @param to where that is to lead it */
async function relayed(socket: string, to: string): Promise<number> {
  const server = createServer((near) => {
    const far = connect(socket);
    far.write(to);
    near.on('error', () => undefined);
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  const port = await listening(server);
  whenOver(() => void server.close());
  return port;
}
