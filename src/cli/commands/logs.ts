import { existsSync } from 'node:fs';
import type { AgentHost } from '../../launch/agent-host.js';
import { sessionPaths } from '../../session/session-paths.js';
import type { ServerFlag } from '../flags/server-flag.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import type { Output } from '../words/terminal-output.js';
import { agentAtServer, requireAtServer } from './at-server/agent-at-server.js';
import { knownAgent, registeredAgent, stoppedAgent } from './find-agent.js';
import { interruptible } from './interruptible.js';
import { followText, lastLines } from './log-file.js';

export interface LogFlags extends ServerFlag {
  follow?: boolean;
  lines: number;
}

/** `agents logs`: the end of the gateway's log for people, whether or not the gateway runs. */
export async function showLog(name: string, flags: LogFlags, host: AgentHost, output: Output): Promise<void> {
  const path = await logOf(name, flags, host);
  if (!existsSync(path))
    throw new CommandFailure(
      `The gateway of ${name} has not written a log yet (${path}).`,
      exitCodes.notFound,
      {
        errorCode: 'no_log',
        remedies: [['start it', `houmao-mgr agents gateway attach ${name}`]],
      },
    );
  const { lines, end } = lastLines(path, flags.lines);
  if (!flags.follow) return output.result({ path, lines }, lines);
  const tell = (told: readonly string[]): void => {
    for (const line of told) output.result({ line }, [line]);
  };
  tell(lines);
  await interruptible((signal) => followText(path, end, { tell, signal, clock: host.clock }));
  throw new CommandFailure('Stopped.', exitCodes.stopped);
}

/** The log's path: of the session that the registry or a server knows, or of the one of that name that was stopped last. */
async function logOf(name: string, flags: ServerFlag, host: AgentHost): Promise<string> {
  const known = flags.server === undefined ? knownAgent(name, host) : null;
  if (known) return known.paths.log;
  const found =
    flags.server === undefined
      ? await agentAtServer(name, flags, host)
      : await requireAtServer(name, flags, host);
  const root = found?.identity.session_root;
  const stopped = found ? null : stoppedAgent(name, host);
  if (stopped) return sessionPaths(stopped.root).log;
  if (!found) return registeredAgent(name, host).paths.log;
  if (root === null || root === undefined || !existsSync(root))
    throw new CommandFailure(
      `The log of ${name} is a file of its session (${root ?? 'the server does not say where'}), which is not on this machine.`,
      exitCodes.notFound,
      { errorCode: 'no_log' },
    );
  return sessionPaths(root).log;
}
