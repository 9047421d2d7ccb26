import { counted } from '../../foundation/counted.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { deleteSession, type StoppedSession, stoppedSessions } from '../../launch/stopped-sessions.js';
import { askPerson } from '../words/ask-person.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import type { Output } from '../words/terminal-output.js';
import { agentsAtServers } from './at-server/agents-at-servers.js';

export interface PruneFlags {
  dryRun?: boolean;
  yes?: boolean;
}

/** `agents prune`: deletes the files of agents that were stopped, and never those of one that may live. */
export async function pruneAgents(flags: PruneFlags, host: AgentHost, output: Output): Promise<void> {
  const atServers = await agentsAtServers(host);
  const known = new Set(atServers.flatMap(({ identity: { manifest_path } }) => manifest_path ?? []));
  const { stopped, kept } = await stoppedSessions(host, known);
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
  ...{ agent_name: agentName, session_root: paths.root, bytes },
});
const lineOf = ({ agentName, paths }: StoppedSession): string =>
  `  ${agentName === null ? '-' : unprefixedName(agentName)}  ${paths.root}`;

const mebibyte = 1024 * 1024;

function sizeWords(sessions: readonly StoppedSession[]): string {
  const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
  const many = counted(sessions.length, 'session');
  return `${many} (${(bytes / mebibyte).toFixed(1)} MiB)`;
}

/** @throws {CommandFailure} where nobody can be asked. */
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
