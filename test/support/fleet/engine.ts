// The NATS server of a fleet, a real one, for tests.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConnectionOptions,
  connect,
  type NatsConnection,
  nkeyAuthenticator,
} from '@nats-io/transport-node';
import { natsServer } from '../../../scripts/tools/nats-server.mjs';
import { type RunningNats, startNats } from '../../../src/cli/commands/fleet/nats-server.js';
import { hostsFileName, prepareCredentials, seedIn } from '../../../src/fleet/engine/credentials.js';
import { inboxPrefix } from '../../../src/fleet/engine/layout.js';
import { settingsText } from '../../../src/fleet/engine/server-config.js';
import { systemClock } from '../../../src/foundation/clock.js';
import { freePort } from '../free-port.js';
import { temporaryFolder, whenOver } from '../temporary-folder.js';
import type { TlsIdentity } from '../tls-identity.js';
import { type Machine, programThrough } from './network.js';

/** A NATS server on a port of loopback, with the configuration that `houmao-mgr fleet credentials` makes. It ends with its tests. */
export interface EngineNode {
  /** Such as `nats://127.0.0.1:4222`; it stays the same over restarts. */
  readonly url: string;
  /** By which it is reached from here, where it is in a network of its own. */
  readonly near: string;
  /** The folder of its configuration and its streams. */
  readonly folder: string;
  /** The pid while it runs, and of the last process after that. */
  readonly pid: number;
  /** Starts it, also after `stop` or `kill`, with the same port and streams, and waits until it serves. */
  start(): Promise<void>;
  /** Ends it in order, and waits for that. */
  stop(): Promise<void>;
  /** Ends it with SIGKILL, and waits for that. */
  kill(): Promise<void>;
}

/** The keys of a fleet, and connections with them. */
export interface EngineKeys {
  /** The file with the key of a host. */
  credentials(host: string): string;
  /** A connection with the key of a host; it is closed after the test. */
  connect(host: string, options?: { reconnect?: boolean }): Promise<NatsConnection>;
  /** A connection of a person who may do everything, such as deleting a stream; it is closed after the test. */
  operate(): Promise<NatsConnection>;
}

/** All of NATS that the hosts of a fleet need: one server, or a cluster of them. */
export interface Engine extends EngineKeys {
  readonly nodes: readonly EngineNode[];
  /** On how many of them each stream is. */
  readonly replicas: number;
}

/** A single NATS server, with its keys in the same folder. */
export interface TestEngine extends Engine, EngineNode {
  /** Ends it with SIGKILL, and removes all streams; the keys stay. */
  wipe(): Promise<void>;
  /** Makes a key for one more host, and has the running server read it. */
  letIn(host: string): void;
}

/** A folder for the streams of a NATS server, and the words that start a program which sees it. */
export interface NodeStore {
  readonly folder: string;
  readonly through: readonly string[];
}

export interface NodeParts {
  readonly folder: string;
  /** The file of hosts, relative to the folder. */
  readonly hostsFile: string;
  /** More text for its configuration. */
  readonly more?: string;
  /** The machine of a test network on which it runs; left out, this one. */
  readonly machine?: Machine;
  /** By which it encrypts; left out, it does not. */
  readonly tls?: TlsIdentity;
  /** A place for its streams; left out, they are in its folder. */
  readonly store?: NodeStore;
}

/** Prepares a NATS server; `start` starts it. */
export function engineNode({ folder, hostsFile, more = '', machine, tls, store }: NodeParts): EngineNode {
  const files = {
    configuration: join(folder, 'nats-server.conf'),
    portsFolder: folder,
    log: join(folder, 'nats-server.log'),
  };
  const identity = tls ? { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') } : null;
  if (tls && identity) {
    writeFileSync(identity.certificate, tls.cert);
    writeFileSync(identity.key, tls.key);
  }
  let port: number | null = null;
  let near: string | null = null;
  let running: RunningNats | null = null;
  const started = (): RunningNats => {
    if (running === null) throw new Error('the engine of this test was never started');
    return running;
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    started().child.kill(signal);
    await started().ended;
  };
  whenOver(async () => {
    if (running !== null) await end('SIGKILL');
  });
  return {
    folder,
    get url() {
      return started().url;
    },
    get near() {
      return near ?? started().url;
    },
    get pid() {
      return started().pid;
    },
    start: async () => {
      const host = machine?.address ?? '127.0.0.1';
      port ??= machine ? machinePort : await freePort();
      if (machine) near ??= `nats://127.0.0.1:${await machine.portTo(port, host)}`;
      const settings = { listen: { host, port }, storeFolder: store?.folder ?? folder, tls: identity };
      writeFileSync(files.configuration, `${settingsText({ ...settings, ...files, hostsFile })}${more}`);
      const plain = natsServer(console.log);
      const seeing = store ? programThrough(store.through, plain, join(folder, 'with-store')) : plain;
      running = await startNats(machine?.program(plain) ?? seeing, files, {
        environment: process.env,
        clock: systemClock,
        stopped: new AbortController().signal,
      });
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** The port of a NATS server that has a machine for itself. */
const machinePort = 4222;

const operator = { user: 'operator', pass: 'of-the-tests' };

/** Makes keys for hosts in a folder, and a user beside them who may do everything. */
function prepareKeys(folder: string, hosts: readonly string[]): void {
  prepareCredentials(folder, hosts);
  const file = join(folder, hostsFileName);
  const { user, pass } = operator;
  const users = `users: [\n      { user: ${user}, password: ${pass} }\n`;
  writeFileSync(file, readFileSync(file, 'utf8').replace('users: [\n', users));
}

/** Makes the keys of hosts in a folder. @param urls of the servers that run now. */
export function engineKeys(
  folder: string,
  hosts: readonly string[],
  urls: () => readonly string[],
): EngineKeys {
  prepareKeys(folder, hosts);
  const credentials = (host: string): string => join(folder, `${host}.nk`);
  const open = async (options: ConnectionOptions): Promise<NatsConnection> => {
    // The addresses that a server names may be those of a network of its own.
    const always = { maxReconnectAttempts: -1, reconnectTimeWait: 50, ignoreClusterUpdates: true };
    const connection = await connect({ servers: [...urls()], ...always, ...options });
    whenOver(() => connection.close());
    return connection;
  };
  return {
    credentials,
    operate: () => open(operator),
    connect: (host, { reconnect = true } = {}) => {
      const seed = seedIn(readFileSync(credentials(host), 'utf8')) ?? '';
      const authenticator = nkeyAuthenticator(new TextEncoder().encode(seed));
      return open({ authenticator, inboxPrefix: inboxPrefix(host), reconnect });
    },
  };
}

/** Prepares one server for the hosts; `start` starts it. For one test, or at the top of a file for all of its tests. */
export function fleetEngine(...hosts: string[]): TestEngine {
  const folder = temporaryFolder();
  const node = engineNode({ folder, hostsFile: hostsFileName });
  const keys = engineKeys(folder, hosts, () => [node.near]);
  const { start, stop, kill } = node;
  const engine: TestEngine = {
    ...keys,
    folder,
    start,
    stop,
    kill,
    replicas: 1,
    get nodes() {
      return [engine];
    },
    get url() {
      return node.url;
    },
    get near() {
      return node.near;
    },
    get pid() {
      return node.pid;
    },
    wipe: async () => {
      await kill();
      rmSync(join(folder, 'jetstream'), { recursive: true, force: true });
    },
    letIn: (host) => {
      prepareKeys(folder, [host]);
      process.kill(node.pid, 'SIGHUP');
    },
  };
  return engine;
}
