// The NATS server of a fleet, a real one, for tests.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { natsServer } from '../../../scripts/tools/nats-server.mjs';
import { type RunningNats, startNats } from '../../../src/cli/commands/fleet/nats-server.js';
import { hostsFileName, prepareCredentials, seedIn } from '../../../src/fleet/engine/credentials.js';
import { inboxPrefix } from '../../../src/fleet/engine/layout.js';
import { settingsText } from '../../../src/fleet/engine/server-config.js';
import { systemClock } from '../../../src/foundation/clock.js';
import { freePort } from '../jmap/free-port.js';
import { temporaryFolder, whenOver } from '../temporary-folder.js';

/** A NATS server on a port of loopback, with the configuration that `houmao-mgr fleet credentials` makes. It ends with its tests. */
export interface TestEngine {
  /** Such as `nats://127.0.0.1:4222`; it stays the same over restarts. */
  readonly url: string;
  /** The folder of its configuration, the keys and the streams. */
  readonly folder: string;
  /** The pid while it runs, and of the last process after that. */
  readonly pid: number;
  /** The file with the key of a host. */
  credentials(host: string): string;
  /** Starts it, also after `stop` or `kill`, with the same port and streams, and waits until it serves. */
  start(): Promise<void>;
  /** Ends it in order, and waits for that. */
  stop(): Promise<void>;
  /** Ends it with SIGKILL, and waits for that. */
  kill(): Promise<void>;
  /** Ends it with SIGKILL, and removes all streams; the keys stay. */
  wipe(): Promise<void>;
  /** Makes a key for one more host, and has the running server read it. */
  letIn(host: string): void;
  /** A connection with the key of a host; it is closed after the test. */
  connect(host: string, options?: { reconnect?: boolean }): Promise<NatsConnection>;
}

/** Prepares one for the hosts; `start` starts it. For one test, or at the top of a file for all of its tests. */
export function fleetEngine(...hosts: string[]): TestEngine {
  const folder = temporaryFolder();
  const files = {
    configuration: join(folder, 'nats-server.conf'),
    portsFolder: folder,
    log: join(folder, 'nats-server.log'),
  };
  prepareCredentials(folder, hosts);
  let port: number | null = null;
  let running: RunningNats | null = null;
  const connections = new Set<NatsConnection>();
  const started = (): RunningNats => {
    if (running === null) throw new Error('the engine of this test was never started');
    return running;
  };
  const start = async (): Promise<void> => {
    port ??= await freePort();
    const settings = { listen: { host: '127.0.0.1', port }, storeFolder: folder, tls: null };
    writeFileSync(files.configuration, settingsText({ ...settings, ...files, hostsFile: hostsFileName }));
    running = await startNats(natsServer(console.log), files, {
      environment: process.env,
      clock: systemClock,
      stopped: new AbortController().signal,
    });
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    started().child.kill(signal);
    await started().ended;
  };
  whenOver(async () => {
    for (const connection of connections) await connection.close();
    if (running !== null) await end('SIGKILL');
  });
  const credentials = (host: string): string => join(folder, `${host}.nk`);
  return {
    folder,
    credentials,
    start,
    get url() {
      return started().url;
    },
    get pid() {
      return started().pid;
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    wipe: async () => {
      await end('SIGKILL');
      rmSync(join(folder, 'jetstream'), { recursive: true, force: true });
    },
    letIn: (host) => {
      prepareCredentials(folder, [host]);
      started().child.kill('SIGHUP');
    },
    connect: async (host, { reconnect = true } = {}) => {
      const seed = seedIn(readFileSync(credentials(host), 'utf8')) ?? '';
      const connection = await connect({
        servers: started().url,
        authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
        inboxPrefix: inboxPrefix(host),
        reconnect,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 50,
      });
      connections.add(connection);
      whenOver(() => connection.close());
      return connection;
    },
  };
}
