import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { routes } from '../../../generated/managed-agent/server/routes.js';
import type { LoadScript } from '../../foundation/cached-script.js';
import { systemClock, toSecondStamp } from '../../foundation/clock.js';
import { deferred } from '../../foundation/concurrency.js';
import { type DirectoryLock, tryLock } from '../../foundation/directory-lock.js';
import { BadEnvironment } from '../../foundation/environment.js';
import { UnusableFile } from '../../foundation/faults.js';
import { NoFolder } from '../../foundation/make-folder.js';
import { programLine } from '../../foundation/program-line.js';
import { systemFaultOf } from '../../foundation/system-fault.js';
import { packageRoot, version } from '../../foundation/version.js';
import {
  addListenerOptions,
  isUsageError,
  type ListenerOptions,
} from '../../http/program/listener-options.js';
import {
  bindListener,
  exitCodes,
  ListenFault,
  stopSignal,
  tooFewDescriptors,
} from '../../http/program/surface-program.js';
import type { BoundSurface, HttpSurface } from '../../http/surface.js';
import { type AgentHost, agentHost } from '../../launch/agent-host.js';
import { accessToken } from '../../session/session-secrets.js';
import { storageFaultOf } from '../../storage/storage-fault.js';
import { loadTracing } from '../../telemetry/load-tracing.js';
import { addTimingOptions, givenTimings, type TimingOptions } from '../../terminal/tracker/timing-options.js';
import { publishServerInstance, serverInstanceFile } from '../directory/server-instance.js';
import {
  type ServerPaths,
  serverPaths,
  usualServerPort,
  usualServerRoot,
} from '../directory/server-paths.js';
import { serverHandlers } from '../handlers/handlers.js';
import { serverPageFacts } from '../handlers/page-facts.js';
import { ManagedAgentServer } from '../server.js';
import { addFleetOptions, elsewhere, type FleetOptions, openFleet } from './fleet-door.js';
import { McpDoor } from './mcp-door.js';

const mebibyte = 1024 * 1024;

/** The properties that distinguish the server's surface from others. */
export const serverSurface: HttpSurface = {
  words: {
    title: 'Houmao managed-agent server',
    program: 'houmao-server',
    noun: 'server',
    tokenFile: "access-token of the server's root",
    flags: { host: '--allowed-host', origin: '--allowed-origin', user: '--allowed-user' },
  },
  document: () => readFileSync(join(packageRoot, 'generated', 'managed-agent', 'openapi.json'), 'utf8'),
  prepared: join(packageRoot, 'dist', 'validators', 'managed-agent'),
  routes,
  exposedHeaders: [
    ...['X-Houmao-Turn-Id', 'X-Houmao-Request-Id', 'Location', 'Idempotency-Replayed'],
    ...['X-Houmao-Done', 'X-Houmao-Message-Ref', 'Accept-Ranges', 'Content-Range'],
  ],
  bodyLimit: (path) => (/^\/houmao\/agents\/[^/]+\/mail\//.test(path) ? 16 * mebibyte : mebibyte),
  pageFacts: serverPageFacts,
  outline: () => readFileSync(join(packageRoot, 'dist', 'page', 'managed-agent.html'), 'utf8'),
  hasConsole: true,
};

interface ProgramContext {
  environment: NodeJS.ProcessEnv;
  load: LoadScript;
  stopped: Promise<void>;
}

/**
 * Runs a server until a signal or a request stops it.
 * @param load loads a script that the build made for the start.
 * @returns the exit code.
 */
export async function main(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  load: LoadScript,
): Promise<number> {
  // Handled from the beginning: a signal during the start ends the server properly once it is up.
  const stopped = stopSignal();
  let options: ServerOptions;
  try {
    options = parseServerOptions(argv);
  } catch (error) {
    if (isUsageError(error)) return error.exitCode === 0 ? exitCodes.clean : exitCodes.usage;
    throw error;
  }
  let paths: ServerPaths | null = null;
  try {
    const host = agentHost(environment, systemClock);
    paths = serverPaths(options.root ?? usualServerRoot(host.runtimeRoot, options));
    const tooFew = tooFewDescriptors('server');
    if (tooFew !== null) return complain(exitCodes.badRoot, `${paths.root}: ${tooFew}`);
    const lock = tryLock(paths.lock);
    if (!lock) return complain(exitCodes.rootTaken, takenBy(paths));
    return await serve(options, paths, host, lock, { environment, load, stopped });
  } catch (error) {
    const reason = startObstacle(error, paths);
    if (reason === null) throw error;
    return complain(exitCodes.badRoot, reason);
  }
}

/** Returns what keeps a server from starting, with path and remedy; null when it is a fault in the code. */
function startObstacle(error: unknown, paths: ServerPaths | null): string | null {
  if (error instanceof UnusableFile || error instanceof BadEnvironment || error instanceof NoFolder)
    return error.message;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (paths === null || code === undefined) return null;
  const store = { path: paths.lock, thing: 'lock', program: 'server' } as const;
  const fault = storageFaultOf(error, store);
  if (fault) return `${fault.reason}; ${fault.remedy}`;
  // This covers any other error, such as a file where a folder has to be.
  return systemFaultOf(error, paths.root) ?? (syscall ? `${paths.root} cannot be used (${code})` : null);
}

function takenBy(paths: ServerPaths): string {
  const holder = serverInstanceFile.readIfUsable(paths.currentInstance);
  const who = holder ? ` (pid ${holder.pid}, ${holder.api_base_url})` : '';
  return `another server serves ${paths.root}${who}; stop it first (houmao-mgr server stop)`;
}

function complain(code: number, message: string): number {
  console.error(programLine('houmao-server', message, systemClock));
  return code;
}

async function serve(
  options: ServerOptions,
  paths: ServerPaths,
  host: AgentHost,
  lock: DirectoryLock,
  { environment, load, stopped }: ProgramContext,
): Promise<number> {
  const report = (fault: string): void => console.error(programLine('houmao-server', fault, systemClock));
  const token = accessToken(paths.accessToken);
  let surface: BoundSurface;
  try {
    surface = await bindListener(serverSurface, options, { token, environment, load, report });
  } catch (error) {
    lock.release();
    if (error instanceof ListenFault) return complain(exitCodes.port, error.message);
    throw error;
  }
  const url = `http://127.0.0.1:${surface.port}`;
  const asked = deferred<void>();
  const tracing = loadTracing(environment, { name: 'houmao-server', attributes: {}, report });
  const letGo = (): void => {
    surface.abandon();
    lock.release();
  };
  const fleet = await openFleet(options, environment, {
    path: paths.fleet,
    server: { port: surface.port, token },
    clock: systemClock,
    random: Math.random,
    report,
  }).catch((error: unknown) => {
    letGo();
    throw error;
  });
  const server = new ManagedAgentServer({
    paths,
    fleet,
    host,
    report,
    instance: { pid: process.pid, apiBaseUrl: url, startedAtUtc: toSecondStamp(systemClock.now()) },
    names: options.allowedHost,
    timings: givenTimings(options),
    allowsPrivateWebhooks: options.allowPrivateWebhooks ?? false,
    stop: () => asked.resolve(),
    traceParent: () => tracing?.current() ?? null,
  });
  const mcp = new McpDoor({ url, token, limit: 16 * mebibyte, report });
  try {
    publishServerInstance(paths, server.parts.instance);
    await server.start();
    const followers = { answered: server.metrics.answered, tracer: tracing?.calls ?? null };
    surface.answerWith(
      serverHandlers(server) as unknown as Record<string, unknown>,
      null,
      followers,
      { '/mcp': mcp.answer },
      fleet && elsewhere(fleet, server.directory, serverSurface.bodyLimit),
    );
    fleet?.start({
      list: () => server.mailFolders(),
      follow: (listener) => server.directory.follow(listener),
    });
  } catch (error) {
    letGo();
    throw error;
  }
  console.log(programLine('houmao-server', `${url} (docs: ${url}/docs)`, systemClock));
  await Promise.race([stopped, asked.promise]);
  // The work that callers wait for goes on without this server: their waits end with the surface.
  await fleet?.close();
  await surface.stop(async () => mcp.stop());
  await server.close();
  await tracing?.close();
  lock.release();
  return exitCodes.clean;
}

interface ServerOptions extends ListenerOptions, TimingOptions, FleetOptions {
  /** Chosen by host and port when left out. */
  root?: string;
  allowPrivateWebhooks?: boolean;
}

/** @throws {CommanderError} also for --help and --version; its `exitCode` says which. */
function parseServerOptions(argv: readonly string[]): ServerOptions {
  const command = new Command('houmao-server')
    .description('Serves all agents of this host, in terminals and headless, through one API over HTTP.')
    .version(version)
    .option(
      '--root <path>',
      'folder for the files of this server (default: <runtime>/houmao_servers/<host>-<port>)',
    );
  command.option(
    '--allow-private-webhooks',
    'let webhooks go to this machine and to private networks (default: to public addresses only)',
  );
  addFleetOptions(command);
  addListenerOptions(command, { host: '127.0.0.1', port: usualServerPort })
    .exitOverride()
    .showHelpAfterError('(houmao-server --help shows every flag)');
  return addTimingOptions(command)
    .parse([...argv], { from: 'user' })
    .opts<ServerOptions>();
}
