import type { Clock } from '../../foundation/clock.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { type LogLines, type LogPlace, lastLines, logStart, nextLines } from '../../session/log-tail.js';
import { type SessionPaths, sessionPaths } from '../../session/session-paths.js';
import { type ServerFlag, serverFlagWords } from '../flags/options.js';
import { callFailure, isCallError } from '../words/call-failure.js';
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
  last(count: number): Promise<LogLines>;
  /** Waits for lines behind a place. @returns none when `signal` aborts before, or none came for a while */
  next(place: LogPlace, signal: AbortSignal): Promise<LogLines>;
}

/** `agents logs`: prints the end of the gateway's log for people, whether or not the gateway runs. */
export async function showLog(name: string, flags: LogFlags, host: AgentHost, output: Output): Promise<void> {
  const log = await logOf(name, flags, host);
  const { path } = log;
  const { lines, place } = await log.last(flags.lines);
  if (place.inode === 0)
    throw new CommandFailure(
      `The gateway of ${name} has not written a log yet (${path}).`,
      exitCodes.notFound,
      {
        errorCode: 'no_log',
        remedies: [['start it', `houmao-mgr agents gateway attach ${name}${serverFlagWords(flags)}`]],
      },
    );
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
  if (found) return logAtServer(found);
  const stopped = stoppedAgent(name, host);
  return logHere(stopped ? sessionPaths(stopped.root) : registeredAgent(name, host).paths, host.clock);
}

const logHere = ({ log }: Pick<SessionPaths, 'log'>, clock: Clock): Log => ({
  path: log,
  last: async (count) => lastLines(log, count),
  next: (place, signal) => nextLines(log, place, clock, signal),
});

const waitSeconds = 20;

/** The log of an agent of a server, which reads it on its own machine. */
function logAtServer({ agent, identity: { session_root: root } }: AgentAtServer): Log {
  const read = async (
    query: { lines?: number; after?: string; wait_seconds?: number },
    signal?: AbortSignal,
  ) => {
    try {
      const { lines, next_after } = await agent.getAgentLog({ query, ...(signal && { signal }) });
      const [inode = 0, offset = 0] = next_after.split('-').map(Number);
      return { lines, place: { inode, offset } };
    } catch (error) {
      if (signal?.aborted) return { lines: [], place: logStart };
      throw isCallError(error) ? callFailure(error) : error;
    }
  };
  return {
    path: root === null ? 'the server does not say where' : sessionPaths(root).log,
    last: (count) => read({ lines: Math.min(count, mostLines) }),
    next: ({ inode, offset }, signal) =>
      read({ after: `${inode}-${offset}`, wait_seconds: waitSeconds }, signal),
  };
}

/** A server gives no more at a time. */
const mostLines = 2000;
