import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { hostsFileName, prepareCredentials } from '../../../fleet/engine/credentials.js';
import { settingsText } from '../../../fleet/engine/server-config.js';
import { writeFileAtomic } from '../../../foundation/atomic-file.js';
import { lockHolder, tryLock } from '../../../foundation/directory-lock.js';
import { usualHostName } from '../../../foundation/host-name.js';
import { toJsonFile } from '../../../foundation/json-text.js';
import { listenObstacle } from '../../../foundation/listening.js';
import { identify, isAlive } from '../../../foundation/processes.js';
import type { AgentHost } from '../../../launch/agent-host.js';
import { Closed, jsonFile, Text } from '../../../session/file-schema.js';
import { withHome } from '../../flags/options.js';
import { CommandFailure, exitCodes } from '../../words/command-failure.js';
import { type Output, quoted } from '../../words/terminal-output.js';
import { credentialObject, joinCommand, usualFleetFolder } from './credentials.js';
import { findNatsServer, type RunningNats, removeOldPorts, startNats } from './nats-server.js';

export interface FleetUpFlags {
  binary?: string;
  data?: string;
  port: number;
  host?: string[];
}

const RunningSchema = Closed({ pid: Type.Integer({ minimum: 1 }), started_at: Text, url: Text });
/** The NATS server of a folder, as the last `fleet up` started it. */
const runningFile = jsonFile(RunningSchema, 'delete it; the next `houmao-mgr fleet up` writes it again');

const loopback = '127.0.0.1';

/** The files of a folder of `fleet up`, besides keys and the list of hosts. */
const placesIn = (folder: string) => ({
  folder,
  configuration: join(folder, 'fleet-up.conf'),
  portsFolder: folder,
  log: join(folder, 'nats-server.log'),
  lock: join(folder, 'fleet-up.lock'),
  running: join(folder, 'fleet-up.json'),
});
type Places = ReturnType<typeof placesIn>;

/**
 * `fleet up`: a NATS server for trying a fleet out, on this machine alone, with keys of hosts, until Ctrl-C or a signal.
 *
 * @throws {CommandFailure} where it cannot be had, cannot serve, or ends by itself
 */
export async function bringFleetUp(flags: FleetUpFlags, host: AgentHost, output: Output): Promise<void> {
  const nats = await findNatsServer(
    flags.binary === undefined ? undefined : withHome(flags.binary),
    host.environment,
  );
  const places = placesIn(flags.data === undefined ? usualFleetFolder(host) : resolve(withHome(flags.data)));
  const lock = tryLock(places.lock);
  try {
    refuseSecond(places, lock !== null);
    const obstacle = await listenObstacle({ host: loopback, port: flags.port });
    if (obstacle !== null)
      throw new CommandFailure(`NATS cannot serve: ${obstacle}.`, exitCodes.failed, {
        errorCode: 'port_taken',
      });
    const names = [...new Set([usualHostName(hostname()), ...(flags.host ?? [])])];
    const hosts = prepareCredentials(places.folder, names);
    writeFileAtomic(places.configuration, configurationFor(places, flags.port));
    removeOldPorts(places.portsFolder);
    const asked = hosts.filter(({ name }) => names.includes(name));
    await untilStopped(async (stopped) => {
      const running = await startNats(nats.path, places, { ...host, stopped });
      publish(places, running);
      output.result(
        {
          url: running.url,
          pid: running.pid,
          folder: places.folder,
          log: places.log,
          nats_server: nats,
          hosts: hosts.map(credentialObject),
        },
        [
          `NATS ${nats.version} serves ${running.url} (pid ${running.pid}), for this machine only`,
          `Its files: ${places.folder}`,
          ...asked.map(({ name, file, isNew }) => `Key of ${name}: ${file}${isNew ? ' (new)' : ''}`),
          '',
          ...asked.map((one) => output.pastable(`Join as ${one.name}: ${joinCommand(running.url, one)}`)),
          output.pastable('Then on each host: houmao-mgr server start'),
          'Stop it: Ctrl-C; its streams stay, and the next start has them',
        ],
      );
      await untilEnd(running, places);
    });
    output.progress('NATS has stopped.');
  } finally {
    lock?.release();
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const configurationFor = ({ folder, log, portsFolder }: Places, port: number): string =>
  `# Written by houmao-mgr fleet up at each start: changes here are lost.\n${settingsText({
    listen: { host: loopback, port: port === 0 ? -1 : port },
    storeFolder: folder,
    tls: null,
    log,
    portsFolder,
    hostsFile: hostsFileName,
  })}`;

/**
 * Two servers would write the same streams.
 * @param isLocked whether this command has the lock: another one that was killed may have left its server behind
 * @throws {CommandFailure} where one runs
 */
function refuseSecond({ folder, lock, running }: Places, isLocked: boolean): void {
  const last = runningFile.readIfUsable(running);
  const isThere = last !== null && isAlive({ pid: last.pid, startedAt: last.started_at });
  if (isLocked && !isThere) return;
  const pid = (isLocked ? null : lockHolder(lock)) ?? last?.pid ?? 'unknown';
  throw new CommandFailure(
    `A NATS server of ${folder} runs already${isThere ? `, at ${last.url}` : ''} (pid ${pid}).`,
    exitCodes.failed,
    {
      errorCode: 'fleet_is_up',
      remedies: [
        ['stop it', `kill ${pid}`],
        ...(isThere
          ? [
              [
                'or let another host in',
                `houmao-mgr fleet credentials --host NAME --out ${quoted(folder)} && kill -HUP ${last.pid}`,
              ] as const,
            ]
          : []),
      ],
    },
  );
}

function publish({ running }: Places, { pid, url }: RunningNats): void {
  const startedAt = identify(pid)?.startedAt;
  // It has ended already, as is seen next.
  if (startedAt === undefined) return;
  const record: Static<typeof RunningSchema> = { pid, started_at: startedAt, url };
  writeFileAtomic(running, toJsonFile(record));
}

/** @throws {CommandFailure} always: a server that was not stopped is not expected to end. */
async function untilEnd({ pid, ended }: RunningNats, { log }: Places): Promise<never> {
  const code = await ended;
  throw new CommandFailure(
    `nats-server (pid ${pid}) has ended${code === null ? ', by a signal' : ` with exit code ${code}`}; see ${log}`,
    exitCodes.failed,
    { errorCode: 'nats_server_ended' },
  );
}

/** Does work until a signal asks this program to stop. A failure after that is the end that was asked for. */
async function untilStopped(work: (stopped: AbortSignal) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  for (const signal of signals) process.on(signal, stop);
  try {
    await work(stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
