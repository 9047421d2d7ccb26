import { counted } from '../../foundation/text.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { canonicalName, unprefixedName } from '../../launch/agent-name.js';
import { deleteSession, type StoppedSession, stoppedSessions } from '../../launch/stopped-sessions.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { askPerson, type Output, OutputOfOne } from '../words/terminal-output.js';
import { stopAgent } from './agents.js';
import { agentsAtServers } from './at-server/agent-at-server.js';
import { knownAgent, registeredAgent } from './find-agent.js';

export interface PruneFlags {
  dryRun?: boolean;
  yes?: boolean;
}

/** `agents prune`: deletes the files of agents that were stopped, and never those of one that may still run. */
export async function pruneAgents(flags: PruneFlags, host: AgentHost, output: Output): Promise<void> {
  const { stopped, kept } = await stoppedHere(host);
  for (const { root, reason } of kept) output.progress(`Kept: ${root} (${reason}).`);
  const does = !flags.dryRun && stopped.length > 0 && (flags.yes || (await agreed(stopped, output)));
  const removed = does
    ? stopped.filter((session) => {
        const reason = deleteSession(session, host);
        if (reason !== null) kept.push({ root: session.paths.root, reason });
        return reason === null;
      })
    : [];
  output.result(
    {
      dry_run: flags.dryRun ?? false,
      stopped: stopped.map(toJson),
      removed: removed.map(toJson),
      kept: kept.map(({ root, reason }) => ({ session_root: root, reason })),
    },
    linesOf(stopped, removed, flags),
  );
}

function linesOf(
  stopped: readonly StoppedSession[],
  removed: readonly StoppedSession[],
  { dryRun = false }: PruneFlags,
): string[] {
  if (stopped.length === 0) return ['No stopped agent has files here.'];
  if (dryRun) return [`Would delete ${sizeWords(stopped)} of stopped agents:`, ...stopped.map(lineOf)];
  if (removed.length === 0) return ['Nothing was deleted.'];
  return [`Deleted ${sizeWords(removed)} of stopped agents:`, ...removed.map(lineOf)];
}

const toJson = ({ agentName, paths, bytes }: StoppedSession) => ({
  agent_name: agentName,
  session_root: paths.root,
  bytes,
});
const lineOf = ({ agentName, paths }: StoppedSession): string =>
  `  ${agentName === null ? '-' : unprefixedName(agentName)}  ${paths.root}`;

const mebibyte = 1024 * 1024;
/** Prints bytes for a person. */
export const mebibyteWords = (bytes: number): string => `${(bytes / mebibyte).toFixed(1)} MiB`;

function sizeWords(sessions: readonly StoppedSession[]): string {
  const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
  const many = counted(sessions.length, 'session');
  return `${many} (${mebibyteWords(bytes)})`;
}

/** Asks the person at the terminal. @throws {CommandFailure} when input is no terminal, so that no person can be asked. */
async function agreed(stopped: readonly StoppedSession[], output: Output): Promise<boolean> {
  for (const session of stopped) output.progress(lineOf(session));
  if (!process.stdin.isTTY)
    throw new CommandFailure(
      `${sizeWords(stopped)} of stopped agents would be deleted for good.`,
      exitCodes.usage,
      { remedies: [['do it', 'houmao-mgr agents prune --yes']] },
    );
  return /^y(es)?$/i.test(await askPerson(`Delete ${sizeWords(stopped)} of stopped agents for good? [y/N] `));
}

/** Returns the sessions of stopped agents that no server of this host uses. */
async function stoppedHere(host: AgentHost): ReturnType<typeof stoppedSessions> {
  const atServers = await agentsAtServers(host);
  const known = new Set(atServers.flatMap(({ identity: { manifest_path } }) => manifest_path ?? []));
  return stoppedSessions(host, known);
}

export interface RemoveFlags {
  yes?: boolean;
}

/**
 * `agents rm`: stops an agent and deletes the files of every session of that name that is stopped then. An agent that was stopped
 * before is only deleted.
 */
export async function removeAgent(
  name: string,
  { yes = false }: RemoveFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const running = knownAgent(name, host);
  const canonical = canonicalName(running?.name ?? name);
  const ofName = async () =>
    (await stoppedHere(host)).stopped.filter(({ agentName }) => agentName === canonical);
  // This fails with the names that there are, where none is meant.
  if (running === null && (await ofName()).length === 0) registeredAgent(name, host);
  if (!yes) await askToRemove(name, running !== null, output);
  if (running !== null) await stopAgent(name, {}, host, new OutputOfOne(name, output));
  const stopped = await ofName();
  const kept = stopped.flatMap((session) => {
    const reason = deleteSession(session, host);
    return reason === null ? [] : [{ session_root: session.paths.root, reason }];
  });
  const removed = stopped.filter(
    ({ paths }) => !kept.some(({ session_root }) => session_root === paths.root),
  );
  const short = unprefixedName(canonical);
  output.result({ agent_name: canonical, stopped: running !== null, removed: removed.map(toJson), kept }, [
    removed.length === 0 ? `Nothing of ${short} was deleted.` : `Deleted ${sizeWords(removed)} of ${short}.`,
  ]);
  if (kept.length > 0 || removed.length === 0)
    throw new CommandFailure(
      `Files of ${short} stay${kept.map(({ session_root, reason }) => `: ${session_root} (${reason})`).join('')}.`,
      exitCodes.doneDespiteError,
      { remedies: [['see why', 'houmao-mgr agents prune --dry-run']] },
    );
}

async function askToRemove(name: string, isRegistered: boolean, output: Output): Promise<void> {
  const does = `${isRegistered ? `Stop ${name} and delete` : 'Delete'} the files of ${name} for good`;
  if (!process.stdin.isTTY)
    throw new CommandFailure(`${does}? Confirm it with --yes.`, exitCodes.usage, {
      remedies: [['do it', `houmao-mgr agents rm ${name} --yes`]],
    });
  if (/^y(es)?$/i.test(await askPerson(`${does}? [y/N] `))) return;
  output.progress('Nothing was changed.');
  throw new CommandFailure('Not confirmed.', exitCodes.failed, { errorCode: 'not_confirmed' });
}
