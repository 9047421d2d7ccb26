import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownSqliteFolder } from '../../foundation/open-database.js';
import { counted } from '../../foundation/text.js';
import { listAgents } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { gatewayProcess } from '../../launch/live-gateway.js';
import { sizeOf } from '../../launch/stopped-sessions.js';
import { currentInstanceFile } from '../../session/current-instance.js';
import { configPath } from '../config/config-file.js';
import { CommandFailure, exitCodes, type Remedy } from '../words/command-failure.js';
import { type Output, table } from '../words/terminal-output.js';
import { mebibyteWords } from './prune.js';
import { serversHere } from './server/see-servers.js';
import { removeService, serviceFiles } from './service.js';

export interface UninstallFlags {
  dryRun?: boolean;
}

/** Something that stays on the machine. */
interface Left {
  readonly what: string;
  readonly path: string;
  /** The size of the file, or of all files in the folder; null where it cannot be read. */
  readonly bytes: number | null;
}

/**
 * `uninstall`: removes the service and the compiled SQLite. Agents, their files and their mail stay, and are named; the package itself
 * is npm's to remove.
 * @throws {CommandFailure} while a server or a gateway runs: it would lose its program
 */
export async function uninstall(
  { dryRun = false }: UninstallFlags,
  host: AgentHost,
  environment: NodeJS.ProcessEnv,
  output: Output,
): Promise<void> {
  const running = await whatRuns(host);
  if (running.length > 0 && !dryRun)
    throw new CommandFailure(
      `Nothing is removed while programs run: ${running.map(({ what }) => what).join(', ')}.`,
      exitCodes.failed,
      { errorCode: 'still_running', remedies: running.map(({ remedy }) => remedy) },
    );
  const sqlite = dirname(ownSqliteFolder());
  const removed = [...serviceFiles(host), ...(existsSync(sqlite) ? [sqlite] : [])];
  if (!dryRun) {
    await removeService(host, output);
    rmSync(sqlite, { recursive: true, force: true });
  }
  const left = whatStays(host, environment);
  const next = 'npm uninstall --global houmao';
  output.result({ dry_run: dryRun, removed, left, running: running.map(({ what }) => what), next }, [
    removed.length === 0
      ? 'The program has put nothing on this machine for itself.'
      : `${dryRun ? 'Would remove' : 'Removed'} ${removed.join(' and ')}.`,
    ...(running.length === 0 ? [] : [`Stop before: ${running.map(({ what }) => what).join(', ')}.`]),
    left.length === 0 ? 'Nothing stays.' : 'These stay; delete them yourself if you want them gone:',
    ...table(
      left.map(({ what, path, bytes }) => [bytes === null ? '?' : mebibyteWords(bytes), path, what]),
    ).map((line) => `  ${line}`),
    'Mailboxes stay where their folders are. The package goes with:',
    `  ${next}`,
  ]);
}

/** Returns the programs that would lose their files, each with the command that stops it. */
async function whatRuns(host: AgentHost): Promise<{ what: string; remedy: Remedy }[]> {
  const servers = await serversHere(host);
  const gateways = listAgents(host).agents.filter(({ paths }) => {
    const instance = currentInstanceFile.readIfUsable(paths.currentInstance);
    return instance !== null && gatewayProcess(instance.pid, paths) !== null;
  });
  return [
    ...servers.map(({ sight }) => ({
      what: `the server ${sight.instance.api_base_url}`,
      remedy: ['stop it', 'houmao-mgr server stop'] as const,
    })),
    ...gateways.map(({ name }) => ({
      what: `the gateway of ${unprefixedName(name)}`,
      remedy: ['stop the agent', `houmao-mgr agents stop ${unprefixedName(name)}`] as const,
    })),
  ];
}

function whatStays(host: AgentHost, environment: NodeJS.ProcessEnv): Left[] {
  const { runtimeRoot, registryRoot, home } = host;
  const registered = listAgents(host).agents.length;
  const places: readonly (readonly [string, string])[] = [
    [runtimeRoot, 'sessions of agents, with queues, turns, answers and logs; records of servers'],
    [registryRoot, `registry of agents: ${registered === 0 ? 'none' : counted(registered, 'agent')}`],
    [join(home, '.houmao', 'standin'), 'home of the stand-in agent'],
    [configPath(environment), 'settings and contexts'],
  ];
  return places
    .filter(([path]) => existsSync(path))
    .map(([path, what]) => ({ what, path, bytes: readableSize(path) }));
}

function readableSize(path: string): number | null {
  try {
    return sizeOf(path);
  } catch {
    return null;
  }
}
