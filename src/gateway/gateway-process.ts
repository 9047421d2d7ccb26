import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { basename, join } from 'node:path';
import { routes } from '../../generated/gateway/server/routes.js';
import type { Json } from '../contract/runtime-document.js';
import { DiagnosticLog } from '../diagnostics/diagnostic-log.js';
import { httpDiagnostics } from '../diagnostics/http-diagnostics.js';
import { RotatingFile } from '../diagnostics/rotating-file.js';
import { systemClock } from '../foundation/clock.js';
import { type DirectoryLock, tryLock } from '../foundation/directory-lock.js';
import { openFileLimit } from '../foundation/open-file-limit.js';
import { systemFaultOf } from '../foundation/system-fault.js';
import { packageRoot } from '../foundation/version.js';
import { surfaceApp } from '../http/app.js';
import { compiledValidators } from '../http/compiled-validators.js';
import { contractWalls } from '../http/contract-walls.js';
import { HoldingServer } from '../http/holding-server.js';
import { drain, listen } from '../http/server.js';
import { CallerWall } from '../http/walls/caller-wall.js';
import { linuxSocketTables } from '../http/walls/socket-owner.js';
import { warmUp } from '../http/warm-up.js';
import { accessToken } from '../session/access-token.js';
import { desiredConfigFile } from '../session/desired-config.js';
import { UnusableFile } from '../session/file-schema.js';
import { attachIdentityOf, type Manifest, readLaunchedManifest } from '../session/manifest.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';
import { printLog, warnInto } from './event-followers.js';
import { BadEnvironment, type ExecutionMode, executionModeOf, windowHandles } from './execution-mode.js';
import { Gateway } from './gateway.js';
import { gatewayHandlers } from './handlers/handlers.js';
import { keepLease } from './lease.js';
import { type GatewayOptions, isUsageError, parseGatewayOptions } from './options.js';
import { publishStartFiles } from './start-files.js';
import type { GatewayIdentity } from './status/derive-status.js';
import { QueueUnavailable, storageFaultOf } from './storage/storage-fault.js';

/** Exit codes (decision 51). */
const exits = { clean: 0, badRoot: 1, usage: 2, port: 3, otherGateway: 4 } as const;
/** Answers under way get this long when the gateway goes down. */
const drainMilliseconds = 3000;
/** What the gateway itself has open, and a turn besides. */
const reservedDescriptors = 48;
const leastDescriptors = 64;
const mebibyte = 1024 * 1024;

/** Runs a gateway until it is told to stop. @returns the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  // Heard from the beginning: a signal during the start ends the gateway properly once it stands.
  const stopped = stopSignal();
  let options: GatewayOptions;
  try {
    options = parseGatewayOptions(argv);
  } catch (error) {
    if (isUsageError(error)) return error.exitCode === 0 ? exits.clean : exits.usage;
    throw error;
  }
  const paths = sessionPaths(options.gatewayRoot);
  const descriptors = openFileLimit();
  if (descriptors !== null && descriptors < leastDescriptors)
    return complain(
      exits.badRoot,
      `${paths.root}: its gateway may have ${descriptors} file descriptors and needs ${leastDescriptors}; raise the limit (ulimit -n)`,
    );
  try {
    const manifest = readLaunchedManifest(paths.manifest);
    const executionMode = executionModeOf(process.env);
    const lock = tryLock(paths.lock);
    if (!lock)
      return complain(
        exits.otherGateway,
        `another gateway serves ${paths.root}; stop it first (houmao-mgr agents gateway detach)`,
      );
    return await serve(
      options,
      paths,
      manifest,
      executionMode,
      accessToken(paths.accessToken),
      lock,
      stopped,
    );
  } catch (error) {
    const reason = startObstacle(error, paths);
    if (reason === null) throw error;
    return complain(exits.badRoot, reason);
  }
}

/** What keeps a gateway from starting, with path and remedy; null when it is a fault of ours. */
function startObstacle(error: unknown, paths: SessionPaths): string | null {
  if (error instanceof UnusableFile || error instanceof BadEnvironment) return error.message;
  if (error instanceof QueueUnavailable) return `${error.fault.reason}; ${error.fault.remedy}`;
  const lockFault = storageFaultOf(error, paths.lock);
  if (lockFault) return `${lockFault.reason}; ${lockFault.remedy}`;
  return systemFaultOf(error, paths.root);
}

function complain(code: number, message: string): number {
  console.error(`houmao-gateway: ${message}`);
  return code;
}

async function serve(
  options: GatewayOptions,
  paths: SessionPaths,
  manifest: Manifest,
  executionMode: ExecutionMode,
  token: string,
  lock: DirectoryLock,
  stopped: Promise<void>,
): Promise<number> {
  const document = JSON.parse(
    readFileSync(join(packageRoot, 'generated', 'gateway', 'openapi.json'), 'utf8'),
  ) as Json;
  let gateway: Gateway | undefined;
  const report = (fault: string): void =>
    gateway ? gateway.report(fault) : console.error(`houmao-gateway: ${fault}`);
  const isOurs = (path: string): boolean => path === '/health' || path === '/v1' || path.startsWith('/v1/');
  const contract = contractWalls(
    document,
    isOurs,
    process.env.HOUMAO_STRICT_RESPONSES === '1' ? { kind: 'throw' } : { kind: 'report', report },
    compiledValidators(join(packageRoot, 'dist', 'validators', 'gateway.cjs')),
  );
  await warmUp(document, contract);
  // Bound before anything is written, so that a taken port changes nothing on disk.
  const holding = new HoldingServer();
  const { server } = holding;
  // Callers must not take the last descriptors: turns and the queue need some.
  const descriptors = openFileLimit();
  if (descriptors !== null) server.maxConnections = descriptors - reservedDescriptors;
  const diagnostics = diagnosticLog(paths, report);
  const callers = new CallerWall(
    { token, users: new Set([process.getuid?.() ?? 0, ...options.allowedUser]) },
    linuxSocketTables(),
  );
  callers.watch(server);
  let port: number;
  try {
    port = await listen(server, options.host, options.port);
  } catch (error) {
    lock.release();
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === 'EADDRINUSE'
        ? `address already in use: ${options.host}:${options.port}; choose another --port, or 0 for any`
        : message;
    return complain(exits.port, `cannot listen: ${reason}`);
  }
  try {
    const identity = identityOf(options.host, port, manifest, paths, executionMode);
    const live = await Gateway.open(paths, identity, systemClock, [
      ...(diagnostics ? [warnInto(diagnostics)] : []),
      ...(executionMode === 'tmux_auxiliary_window' ? [printLog] : []),
    ]);
    gateway = live;
    const app = surfaceApp(
      {
        title: 'Houmao agent gateway',
        document,
        routes,
        handlers: gatewayHandlers(live) as unknown as Record<string, unknown>,
        bodyLimit: (path) => (path.startsWith('/v1/mail/') ? 16 * mebibyte : mebibyte),
      },
      {
        allowedHosts: new Set(options.allowedHost),
        allowedOrigins: new Set(options.allowedOrigin),
        report,
        caller: callers.handler,
        observer: diagnostics && httpDiagnostics((entry) => diagnostics.note(entry)),
        contract,
      },
    );
    publishStartFiles(paths, manifest, identity);
    await live.start();
    if (options.retainDays !== undefined) live.retain(options.retainDays);
    holding.answerWith(app);
  } catch (error) {
    server.closeAllConnections();
    server.close();
    lock.release();
    throw error;
  }
  const stopLease = keepLease(manifest, systemClock, report);
  console.log(`houmao-gateway: http://127.0.0.1:${port} (docs: http://127.0.0.1:${port}/docs)`);
  await stopped;
  stopLease();
  await shutDown(server, gateway);
  diagnostics?.close();
  lock.release();
  return exits.clean;
}

function identityOf(
  host: GatewayOptions['host'],
  port: number,
  manifest: Manifest,
  paths: SessionPaths,
  executionMode: ExecutionMode,
): GatewayIdentity {
  return {
    attachIdentity: attachIdentityOf(manifest, basename(paths.root)),
    backend: manifest.backend,
    tmuxSessionName: manifest.tmux_session_name ?? manifest.tmux?.session_name ?? basename(paths.root),
    executionMode,
    host,
    port,
    ...windowHandles(executionMode, process.env),
  };
}

/** Null unless `desired-config.json` asks for it. */
function diagnosticLog(paths: SessionPaths, report: (fault: string) => void): DiagnosticLog | null {
  const wish = desiredConfigFile.read(paths.desiredConfig)?.desired_diagnostic_logging;
  if (!wish?.enabled) return null;
  const { max_bytes = 1024 * 1024, backup_count = 5 } = wish;
  const file = new RotatingFile(paths.diagnostics, max_bytes, backup_count);
  return new DiagnosticLog(file, systemClock, report);
}

/** Resolves at the first SIGTERM, SIGINT or SIGHUP; a second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    // SIGHUP: its window was closed.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

async function shutDown(server: Server, gateway: Gateway): Promise<void> {
  const drained = drain(server, drainMilliseconds);
  await gateway.quiesce();
  await drained;
  gateway.close();
}
