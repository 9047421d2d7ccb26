import { existsSync } from 'node:fs';
import type { Clock } from '../../foundation/clock.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { isCallError } from '../../protocols/agent-work.js';
import {
  type LogLines,
  type LogPlace,
  lastLines,
  logStart,
  nextLines,
  placeWords,
  readPlace,
} from '../../session/log-tail.js';
import { type SessionPaths, sessionPaths } from '../../session/session-paths.js';
import { type ServerFlag, serverFlagWords } from '../flags/options.js';
import { callFailure } from '../words/call-failure.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { interruptible, type Output } from '../words/terminal-output.js';
import { type AgentAtServer, agentAtServer, requireAtServer } from './at-server/agent-at-server.js';
import { knownAgent, registeredAgent, stoppedAgent } from './find-agent.js';

export interface LogFlags extends ServerFlag {
  follow?: boolean;
  lines: number;
}

/** A log, wherever it is. */
interface Log {
  /** The path of the file, on its machine. */
  readonly path: string;
  /** The most lines that {@link Log.last} gives; null for as many as there are. */
  readonly most: number | null;
  last(count: number): Promise<LogLines>;
  /** Waits for lines behind a place. @returns none when `signal` aborts before, or none came for a while */
  next(place: LogPlace, signal: AbortSignal): Promise<LogLines>;
}

/** `agents logs`: prints the end of the gateway's log for people, whether or not the gateway runs. */
export async function showLog(name: string, flags: LogFlags, host: AgentHost, output: Output): Promise<void> {
  const log = await logOf(name, flags, host);
  const { path } = log;
  const { lines, place } = await log.last(flags.lines);
  if (place.inode === logStart.inode)
    throw new CommandFailure(
      `The gateway of ${name} has not written a log yet (${path}).`,
      exitCodes.notFound,
      {
        errorCode: 'no_log',
        remedies: [['start it', `houmao-mgr agents gateway attach ${name}${serverFlagWords(flags)}`]],
      },
    );
  if (log.most !== null && flags.lines > log.most)
    output.progress(`A server gives ${log.most} lines at most.`);
  if (!flags.follow) return output.result({ path, lines }, lines);
  const report = (added: readonly string[]): void => {
    for (const line of added) output.result({ line }, [line]);
  };
  report(lines);
  await interruptible(async (signal) => {
    for (let from = place; !signal.aborted; ) {
      const added = await log.next(from, signal);
      report(added.lines);
      from = added.place;
    }
  });
  throw new CommandFailure('Stopped.', exitCodes.stopped);
}

/** Returns the log of the session that the registry or a server knows, or of the last stopped one of that name. */
async function logOf(name: string, flags: ServerFlag, host: AgentHost): Promise<Log> {
  const known = flags.server === undefined ? knownAgent(name, host) : null;
  if (known) return logHere(known.paths, host.clock);
  const found =
    flags.server === undefined
      ? await agentAtServer(name, flags, host)
      : await requireAtServer(name, flags, host);
  const stopped = found ? null : stoppedAgent(name, host);
  if (stopped) return logHere(sessionPaths(stopped.root), host.clock);
  if (!found) return logHere(registeredAgent(name, host).paths, host.clock);
  const root = found.identity.session_root;
  if (root === null)
    throw new CommandFailure(`${name} has no session at the server, and so no log.`, exitCodes.notFound, {
      errorCode: 'no_log',
    });
  const paths = sessionPaths(root);
  return (await givesLogs(found)) || !existsSync(root)
    ? logAtServer(found, paths)
    : logHere(paths, host.clock);
}

const logHere = ({ log }: Pick<SessionPaths, 'log'>, clock: Clock): Log => ({
  path: log,
  most: null,
  last: async (count) => lastLines(log, count),
  next: (place, signal) => nextLines(log, place, { clock, milliseconds: Number.POSITIVE_INFINITY, signal }),
});

/** Asks for no line: a server of an earlier release has no such operation. */
async function givesLogs({ agent }: AgentAtServer): Promise<boolean> {
  try {
    await agent.getAgentLog({ query: { lines: 0 } });
    return true;
  } catch (error) {
    if (isCallError(error) && error.status === 404) return false;
    throw isCallError(error) ? callFailure(error) : error;
  }
}

const waitSeconds = 20;
/** The most lines that a server gives at a time. */
const mostLines = 2000;

/** The log of an agent of a server, which reads it on its own machine. */
function logAtServer({ agent }: AgentAtServer, { log }: Pick<SessionPaths, 'log'>): Log {
  const read = async (
    query: { lines?: number; after?: string; wait_seconds?: number },
    signal?: AbortSignal,
  ): Promise<LogLines> => {
    try {
      const { lines, next_after } = await agent.getAgentLog({ query, ...(signal && { signal }) });
      return { lines, place: readPlace(next_after) };
    } catch (error) {
      if (signal?.aborted) return { lines: [], place: logStart };
      throw isCallError(error) ? callFailure(error) : error;
    }
  };
  return {
    path: log,
    most: mostLines,
    last: (count) => read({ lines: Math.min(count, mostLines) }),
    next: (place, signal) => read({ after: placeWords(place), wait_seconds: waitSeconds }, signal),
  };
}
