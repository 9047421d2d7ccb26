import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { HttpObserver } from '../contract/http-observer.js';
import type { LoadScript } from '../foundation/cached-script.js';
import { ContractChecks, type ResponsePolicy } from './contract/contract-checks.js';
import {
  compiledValidators,
  compilesAll,
  preparedContract,
  preparedFiles,
} from './contract/prepared-contract.js';
import { HoldingServer, listen, stopServer } from './server/server.js';
import { type HttpSurface, surfaceApp } from './surface-app.js';
import { type CallerPolicy, CallerWall } from './walls/caller-wall.js';
import type { Admitted } from './walls/front-walls.js';
import { linuxSocketTables } from './walls/socket-owner.js';

/** The time that answers under way get when the server stops, after the work they wait for has ended. */
const drainMilliseconds = 3000;
/** The delay before warm-up, so that requests right after the start are answered first. */
const warmUpDelayMilliseconds = 50;
/** The pause between two operations, so that callers hardly notice the warm-up. */
const warmUpPauseMilliseconds = 5;

export interface ServeOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The most connections at once; null for no limit. */
  readonly maxConnections: number | null;
  readonly callers: CallerPolicy;
  readonly admitted: Admitted;
  /** Whether an answer that breaks the contract is thrown, as tests need it; a release sends and reports it. */
  readonly strictAnswers: boolean;
  /** Loads the files of the build. */
  readonly load: LoadScript;
  /** Receives each internal fault. */
  report(fault: string): void;
}

/** A surface whose port is taken. Requests wait until there are handlers to answer them. */
export interface BoundSurface {
  readonly port: number;
  /** Answers the waiting requests, and all that come from now on. @param handlers by operation. */
  answerWith(handlers: Readonly<Record<string, unknown>>, observer: HttpObserver | null): void;
  /**
   * Takes no more connections and no new work, lets every answer under way finish, and closes each connection with its last
   * answer.
   * @param work ends the waits of those answers, while reading still works.
   */
  stop(work: () => Promise<void>): Promise<void>;
  /** Gives the port back; no request was answered. */
  abandon(): void;
}

/**
 * Binds a surface before anything else of its program begins, so that a taken port changes nothing.
 * @throws the system's error, such as EADDRINUSE, or Error when the contract contradicts itself.
 */
export async function bindSurface(surface: HttpSurface, options: ServeOptions): Promise<BoundSurface> {
  const { report } = options;
  const policy: ResponsePolicy = options.strictAnswers ? { kind: 'throw' } : { kind: 'report', report };
  const checks = checksOf(surface, policy, options.load);
  const holding = new HoldingServer();
  const { bound } = holding;
  const { server } = bound;
  if (options.maxConnections !== null) server.maxConnections = options.maxConnections;
  const callers = new CallerWall(options.callers, linuxSocketTables(), surface.words);
  callers.watch(server);
  const port = await listen(server, options.host, options.port);
  const warming = new AbortController();
  const abandon = (): void => {
    warming.abort();
    server.closeAllConnections();
    server.close();
  };
  return {
    port,
    answerWith(handlers, observer) {
      const { admitted } = options;
      holding.answerWith(surfaceApp({ surface, handlers, checks, admitted, callers, observer, report }));
      warmUp(checks, warming.signal).catch((error: Error) => {
        if (!warming.signal.aborted) report(`the contract's checks cannot be built: ${error.message}`);
      });
    },
    stop(work) {
      warming.abort();
      return stopServer(bound, work, drainMilliseconds);
    },
    abandon,
  };
}

function checksOf(surface: HttpSurface, policy: ResponsePolicy, load: LoadScript): ContractChecks {
  const { prepared } = surface;
  const contract = preparedContract(surface.document(), prepared);
  return new ContractChecks(
    contract,
    policy,
    prepared === null ? compilesAll : compiledValidators(join(prepared, preparedFiles.validators), load),
  );
}

/**
 * Builds the checks of every operation while the surface already answers. A request for an operation whose checks do not exist
 * yet builds them itself.
 */
async function warmUp(checks: ContractChecks, signal: AbortSignal): Promise<void> {
  const waits = { ref: false, signal };
  await setTimeout(warmUpDelayMilliseconds, undefined, waits);
  for (const [method, path] of checks.all()) {
    await setTimeout(warmUpPauseMilliseconds, undefined, waits);
    checks.operation(method, path).prepare();
  }
}
