import { appendFileSync, fstatSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Handlers } from '../../../generated/gateway/server/index.js';
import { routes } from '../../../generated/gateway/server/routes.js';
import { DiagnosticLog, RotatingFile } from '../../diagnostics/diagnostic-log.js';
import { httpDiagnostics } from '../../diagnostics/entry-sources.js';
import type { LoadScript } from '../../foundation/cached-script.js';
import { systemClock } from '../../foundation/clock.js';
import { type DirectoryLock, tryLock } from '../../foundation/directory-lock.js';
import { BadEnvironment } from '../../foundation/environment.js';
import { UnusableFile } from '../../foundation/faults.js';
import { NoFolder } from '../../foundation/make-folder.js';
import { programLine } from '../../foundation/program-line.js';
import { systemFaultOf } from '../../foundation/system-fault.js';
import { packageRoot } from '../../foundation/version.js';
import { isUsageError } from '../../http/program/listener-options.js';
import {
  bindListener,
  exitCodes,
  ListenFault,
  stopSignal,
  tooFewDescriptors,
} from '../../http/program/surface-program.js';
import type { BoundSurface, HttpSurface } from '../../http/surface.js';
import type { ExecutionMode } from '../../session/current-instance.js';
import { desiredConfigFile } from '../../session/gateway-start-files.js';
import { readKeeping } from '../../session/keeping.js';
import { keepingOf } from '../../session/keeping-options.js';
import { readLaunchedManifest } from '../../session/manifest.js';
import { attachIdentityOf } from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { registryRoot } from '../../session/registry.js';
import { queueStore, type SessionPaths, sessionPaths } from '../../session/session-paths.js';
import { accessToken } from '../../session/session-secrets.js';
import { StoreUnavailable, storageFaultOf } from '../../storage/storage-fault.js';
import { loadTracing } from '../../telemetry/load-tracing.js';
import type { Tracing } from '../../telemetry/traces.js';
import { givenTimings } from '../../terminal/tracker/timing-options.js';
import { trackerTimings } from '../../terminal/tracker/tracker-timings.js';
import { claimTurns, type TurnOwnership, turnOwner } from '../../turn/turn-ownership.js';
import { Gateway } from '../gateway.js';
import { gatewayHandlers } from '../handlers/handlers.js';
import { gatewayPageFacts } from '../handlers/page-facts.js';
import type { GatewayIdentity } from '../status/status-board.js';
import { printLog, warnInto } from './event-followers.js';
import { executionModeOf, type GatewayOptions, parseGatewayOptions, windowHandles } from './options.js';
import { keepLease, publishStartFiles } from './presence.js';

const mebibyte = 1024 * 1024;
/**
 * The time to wait for the lock: a process that checks for a gateway, or repairs what a dead one left, holds it for some
 * milliseconds.
 */
const lockPatienceMilliseconds = 1000;

/** The properties that distinguish the gateway's surface from others. */
export const gatewaySurface: HttpSurface = {
  words: {
    title: 'Houmao agent gateway',
    program: 'houmao-gateway',
    noun: 'gateway',
    tokenFile: "gateway/access-token of the agent's session",
    flags: { host: '--allowed-host', origin: '--allowed-origin', user: '--allowed-user' },
  },
  document: () => readFileSync(join(packageRoot, 'generated', 'gateway', 'openapi.json'), 'utf8'),
  prepared: join(packageRoot, 'dist', 'validators', 'gateway'),
  routes,
  exposedHeaders: [
    ...['X-Houmao-Turn-Id', 'Location', 'Idempotency-Replayed', 'X-Houmao-Done', 'X-Houmao-Message-Ref'],
  ],
  bodyLimit: (path) => (path.startsWith('/v1/mail/') ? 16 * mebibyte : mebibyte),
  pageFacts: gatewayPageFacts,
  outline: () => readFileSync(join(packageRoot, 'dist', 'page', 'gateway.html'), 'utf8'),
  hasConsole: false,
};

interface ProgramContext {
  environment: NodeJS.ProcessEnv;
  load: LoadScript;
  stopped: Promise<void>;
}

/**
 * Runs a gateway until a signal stops it.
 * @param load loads a script that the build made for the start.
 * @returns the exit code.
 */
export async function main(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  load: LoadScript,
): Promise<number> {
  // Handled from the beginning: a signal during the start ends the gateway properly once it is up.
  const stopped = stopSignal();
  let options: GatewayOptions;
  try {
    options = parseGatewayOptions(argv);
  } catch (error) {
    if (isUsageError(error)) return error.exitCode === 0 ? exitCodes.clean : exitCodes.usage;
    throw error;
  }
  const paths = sessionPaths(options.gatewayRoot);
  const tooFew = tooFewDescriptors('gateway');
  if (tooFew !== null) return complain(exitCodes.badRoot, `${paths.root}: ${tooFew}`);
  try {
    const manifest = readLaunchedManifest(paths.manifest);
    const executionMode = executionModeOf(environment);
    const lock = tryLock(paths.lock, undefined, lockPatienceMilliseconds);
    if (!lock)
      return complain(
        exitCodes.rootTaken,
        `another gateway serves ${paths.root}; stop it first${detachWords(manifest)}`,
      );
    const ownership = await claimTurns(paths.run, 'houmao-gateway', systemClock);
    if (!ownership) {
      lock.release();
      return complain(exitCodes.rootTaken, ownedElsewhere(paths));
    }
    const claims = { lock, ownership };
    return await serve(options, paths, manifest, executionMode, claims, { environment, load, stopped });
  } catch (error) {
    const reason = startObstacle(error, paths);
    if (reason === null) throw error;
    return complain(exitCodes.badRoot, reason);
  }
}

const detachWords = ({ agent_name }: Manifest): string =>
  agent_name ? `: houmao-mgr agents gateway detach ${agent_name}` : '';

/** Returns what keeps a gateway from starting, with path and remedy; null when it is a fault in the code. */
function startObstacle(error: unknown, paths: SessionPaths): string | null {
  if (error instanceof UnusableFile || error instanceof BadEnvironment || error instanceof NoFolder)
    return error.message;
  if (error instanceof StoreUnavailable) return `${error.fault.reason}; ${error.fault.remedy}`;
  const lockFault = storageFaultOf(error, { ...queueStore(paths), path: paths.lock });
  if (lockFault) return `${lockFault.reason}; ${lockFault.remedy}`;
  return systemFaultOf(error, paths.root);
}

function ownedElsewhere(paths: SessionPaths): string {
  const owner = turnOwner(paths.run);
  const who = owner ? `${owner.program} (pid ${owner.pid})` : 'another program';
  return `${who} runs the turns of ${paths.root}; stop it first`;
}

/** The locks that keep other processes from the session. */
interface Claims {
  lock: DirectoryLock;
  ownership: TurnOwnership;
}

function release({ lock, ownership }: Claims): void {
  ownership.release();
  lock.release();
}

function complain(code: number, message: string): number {
  console.error(programLine('houmao-gateway', message, systemClock));
  return code;
}

async function serve(
  options: GatewayOptions,
  paths: SessionPaths,
  manifest: Manifest,
  executionMode: ExecutionMode,
  claims: Claims,
  { environment, load, stopped }: ProgramContext,
): Promise<number> {
  const registry = registryRoot(environment);
  let gateway: Gateway | undefined;
  const report = (fault: string): void =>
    gateway ? gateway.report(fault) : console.error(programLine('houmao-gateway', fault, systemClock));
  const token = accessToken(paths.accessToken);
  const tracing = loadTracing(environment, {
    name: 'houmao-gateway',
    attributes: { 'houmao.agent_name': manifest.agent_name ?? basename(paths.root) },
    report,
  });
  const diagnostics = diagnosticLog(paths, report);
  let surface: BoundSurface;
  try {
    surface = await bindListener(gatewaySurface, options, { token, environment, load, report });
  } catch (error) {
    release(claims);
    if (error instanceof ListenFault) return complain(exitCodes.port, error.message);
    throw error;
  }
  const { port } = surface;
  try {
    const identity = identityOf(options.host, port, manifest, paths, executionMode, environment);
    const keeping = { ...readKeeping(paths.keeping), ...keepingOf(options) };
    followLog(paths.log);
    const live = await Gateway.open({
      paths,
      identity,
      clock: systemClock,
      environment,
      ownership: claims.ownership,
      keeping,
      timings: trackerTimings(
        givenTimings(options),
        desiredConfigFile.read(paths.desiredConfig)?.desired_tui_tracking_timings ?? {},
      ),
      followers: [
        ...(diagnostics ? [warnInto(diagnostics)] : []),
        ...(executionMode === 'tmux_auxiliary_window' ? [printLog] : []),
        ...(tracing ? [tracing.follow] : []),
      ],
    });
    gateway = live;
    publishStartFiles(paths, manifest, identity);
    await live.start();
    live.retain();
    surface.answerWith(
      (tracing ? tracedHandlers(gatewayHandlers(live), tracing) : gatewayHandlers(live)) as unknown as Record<
        string,
        unknown
      >,
      diagnostics && httpDiagnostics((entry) => diagnostics.note(entry)),
      { answered: live.metrics.answered, tracer: tracing?.calls ?? null },
    );
  } catch (error) {
    surface.abandon();
    release(claims);
    throw error;
  }
  const stopLease = keepLease(registry, manifest, systemClock, report);
  const url = `http://127.0.0.1:${port}`;
  console.log(programLine('houmao-gateway', `${url} (docs: ${url}/docs)`, systemClock));
  await stopped;
  stopLease();
  const running = gateway;
  await surface.stop(() => running.quiesce());
  await tracing?.close();
  await running.close();
  diagnostics?.close();
  release(claims);
  return exitCodes.clean;
}

function identityOf(
  host: GatewayOptions['host'],
  port: number,
  manifest: Manifest,
  paths: SessionPaths,
  executionMode: ExecutionMode,
  environment: NodeJS.ProcessEnv,
): GatewayIdentity {
  return {
    attachIdentity: attachIdentityOf(manifest, basename(paths.root)),
    backend: manifest.backend,
    tmuxSessionName: manifest.tmux_session_name ?? manifest.tmux?.session_name ?? basename(paths.root),
    executionMode,
    host,
    port,
    ...windowHandles(executionMode, environment),
  };
}

/** Returns null unless `desired-config.json` enables the log. */
function diagnosticLog(paths: SessionPaths, report: (fault: string) => void): DiagnosticLog | null {
  const settings = desiredConfigFile.read(paths.desiredConfig)?.desired_diagnostic_logging;
  if (!settings?.enabled) return null;
  const { max_bytes = 1024 * 1024, backup_count = 5 } = settings;
  const file = new RotatingFile(paths.diagnostics, max_bytes, backup_count);
  return new DiagnosticLog(file, systemClock, report);
}

const standardError = 2;

/**
 * Has standard error go on in `gateway.log` when that file is set aside, where it was opened as that file: a descriptor stays with
 * the file, whatever its name. Only V8's own message, when memory is exhausted, still goes to the descriptor.
 */
function followLog(path: string): void {
  if (!isStandardError(path)) return;
  process.stderr.write = (text: Uint8Array | string): boolean => {
    appendFileSync(path, text, { mode: 0o600 });
    return true;
  };
}

function isStandardError(path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  const here = fstatSync(standardError);
  return there?.ino === here.ino && there.dev === here.dev;
}

/** The answer of a handler, as far as it names what the call began. */
interface Began {
  readonly body?: { readonly request_id?: string };
  readonly headers?: { readonly 'X-Houmao-Turn-Id'?: string };
}

/** Has the calls that give the agent a prompt note which request or turn they began. */
function tracedHandlers(handlers: Handlers, { caused }: Pick<Tracing, 'caused'>): Handlers {
  const noting =
    <H extends (...given: never[]) => unknown>(handle: H) =>
    async (...given: Parameters<H>): Promise<unknown> => {
      const answer = (await handle(...given)) as Began;
      const id = answer.body?.request_id ?? answer.headers?.['X-Houmao-Turn-Id'];
      if (id !== undefined) caused(id);
      return answer;
    };
  return {
    ...handlers,
    submitRequest: noting(handlers.submitRequest) as Handlers['submitRequest'],
    controlPrompt: noting(handlers.controlPrompt) as Handlers['controlPrompt'],
  };
}
