import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { parse, stringify } from 'yaml';
import { rowSchemas } from '../../dispatch/queue/queue-tables.js';
import { endLeft, restarted } from '../../dispatch/queue/recovery.js';
import { RequestJournal } from '../../dispatch/queue/request-journal.js';
import { openSessionStore } from '../../dispatch/queue/session-runtime.js';
import { ReminderTable, reminderSchema } from '../../dispatch/reminders/reminder-book.js';
import type { Clock } from '../../foundation/clock.js';
import { makeFolder } from '../../foundation/make-folder.js';
import { findProgram } from '../../foundation/programs.js';
import { changeDesiredConfig } from '../../session/gateway-start-files.js';
import { toEnvironmentFile } from '../../session/launch-settings.js';
import { patchNewConversation, patchTurnPins, readManifest, writeManifest } from '../../session/manifest.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { writeOfflineState } from '../../session/offline-state.js';
import { readRecord } from '../../session/registry.js';
import { type SessionPaths, sessionPaths } from '../../session/session-paths.js';
import { TurnTable } from '../../turn/turn-table.js';
import type { AgentHost } from '../agent-host.js';
import { agentIdOf, agentNameRule, canonicalName, unprefixedName } from '../agent-name.js';
import { publishAgent, sessionRoot } from '../create-session.js';
import { LaunchFault } from '../launch-fault.js';
import { type BackupContents, type SavedAgent, unpackAgent } from './archive.js';

/** Where an agent is to be restored; null for the defaults. */
export interface RestoreRequest {
  readonly name: string | null;
  readonly root: string | null;
  readonly workingDirectory: string | null;
}

/** An agent that was restored. */
export interface RestoredAgent {
  readonly name: string;
  readonly agentId: string;
  readonly paths: SessionPaths;
  /** Requests that wait, and those that ran when they were saved: these have failed. */
  readonly waiting: number;
  readonly ended: number;
  /** Reminders that are paused now. */
  readonly reminders: number;
  /** Secrets that were not saved and that this environment does not have. */
  readonly missing: readonly string[];
  /** The address of its mailbox, which was not saved; null when it had none. */
  readonly mailbox: string | null;
}

/** A restore that was checked; nothing is written yet. */
export interface RestorePlan {
  readonly saved: SavedAgent;
  readonly name: string;
  readonly agentId: string;
  readonly paths: SessionPaths;
}

/** Checks that nothing is in the way. @throws {LaunchFault} that names it, and what to do. */
export function planRestore(
  { agents }: BackupContents,
  file: string,
  request: RestoreRequest,
  host: AgentHost,
): RestorePlan[] {
  const [only, ...others] = agents;
  if (only === undefined) throw new LaunchFault(`${file} has no agent.`);
  if (others.length > 0 && Object.values(request).some((given) => given !== null))
    throw new LaunchFault(
      `${file} has ${agents.length} agents: --as, --root and --workdir are for one alone.`,
    );
  const rule = request.name === null ? null : agentNameRule(request.name);
  if (rule !== null) throw new LaunchFault(`--as ${request.name}: ${rule}.`);
  return agents.map((saved) => {
    const name = canonicalName(request.name ?? saved.agent_name);
    const agentId = request.name === null ? saved.agent_id : agentIdOf(name);
    const paths = sessionPaths(request.root ?? rootFor(saved, request, host));
    const holder = readRecord(host.registryRoot, agentId);
    if (holder)
      throw new LaunchFault(
        `An agent named ${unprefixedName(name)} already exists (${holder.runtime.manifest_path}), and it is left as it is. Restore this one under another name with --as, or stop that one: houmao-mgr agents stop ${unprefixedName(name)}`,
      );
    if (existsSync(paths.root))
      throw new LaunchFault(
        `${paths.root} exists, and nothing is written over it. Name another folder with --root, or move that one away.`,
      );
    return { saved, name, agentId, paths };
  });
}

/**
 * Returns the folder that the session had before, below the runtime folder of this machine. Under another name it may stand beside
 * the agent that was saved, in a folder with both names.
 */
function rootFor(
  { backend, session_id }: RestorePlan['saved'],
  { name }: RestoreRequest,
  host: AgentHost,
): string {
  const usual = sessionRoot(host, backend, session_id);
  return name === null || !existsSync(usual)
    ? usual
    : sessionRoot(host, backend, `${session_id}-${unprefixedName(canonicalName(name))}`);
}

/**
 * Restores an agent: its files with the paths of this machine, its queue paused, and its record in the registry. A turn that ran
 * when it was saved has failed, and is not run again (docs/decisions.md#backup).
 * @throws {UnusableFile} @throws {LaunchFault} Nothing of it is left then.
 */
export async function restoreAgent(
  file: string,
  { home }: BackupContents,
  plan: RestorePlan,
  request: RestoreRequest,
  host: AgentHost,
): Promise<RestoredAgent> {
  const { saved, paths } = plan;
  makeFolder(dirname(paths.root), 0o700);
  const staging = mkdtempSync(join(dirname(paths.root), '.restore-'));
  try {
    const unpacked = sessionPaths(await unpackAgent(file, saved, staging));
    const moves = [
      { from: saved.session_root, to: paths.root },
      { from: home, to: host.home },
    ];
    const manifest = relocated(readManifest(unpacked.manifest), plan, moves, request, host);
    writeManifest(unpacked.manifest, manifest);
    // An archive has no conversations: the first turn begins one.
    if (manifest.headless)
      patchTurnPins(unpacked.manifest, { conversation: { id: null }, completedTurns: 0 });
    else patchNewConversation(unpacked.manifest);
    relocateBrain(unpacked, manifest, moves);
    const missing = relocateEnvironment(unpacked, saved, moves, host.environment);
    // The address is chosen again: another program may have that port here.
    changeDesiredConfig(unpacked.desiredConfig, { desired_host: null, desired_port: null });
    const settled = await settle(unpacked, host.clock);
    writeOfflineState(unpacked, manifest, manifest.runtime.session_id ?? basename(paths.root));
    renameSync(unpacked.root, paths.root);
    try {
      publishAgent(manifest, paths, host, host.clock.now());
    } catch (error) {
      rmSync(paths.root, { recursive: true, force: true });
      throw error;
    }
    return {
      name: plan.name,
      agentId: plan.agentId,
      paths,
      ...settled,
      missing,
      mailbox: saved.mailbox ?? null,
    };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Returns the manifest with the names and paths of this machine. Its mailbox and its tmux server stay on the other one. */
function relocated(
  before: Manifest,
  { name, agentId }: RestorePlan,
  moves: readonly Move[],
  request: RestoreRequest,
  host: AgentHost,
): Manifest {
  const workingDirectory = request.workingDirectory ?? movedPath(before.working_directory, moves);
  if (!existsSync(workingDirectory))
    throw new LaunchFault(
      `The working directory ${workingDirectory} is not here; name another one with --workdir.`,
    );
  const tmuxName = `${name}-${host.clock.now().getTime()}`;
  // The generation stays: it is the instance of the agent for which the queue was filled, and goes on with it.
  const renames = new Map([
    [before.tmux_session_name, tmuxName],
    [before.agent_name, name],
    [before.agent_id, agentId],
  ]);
  const all = [{ from: before.working_directory, to: workingDirectory }, ...moves];
  const manifest = withTexts(before, (text) => renames.get(text) ?? movedPath(text, all));
  const { executable } = manifest.launch_plan;
  const found = findProgram(executable, host.environment.PATH ?? '', workingDirectory);
  const here = found ?? findProgram(basename(executable), host.environment.PATH ?? '', workingDirectory);
  if (here === null)
    throw new LaunchFault(
      `${executable} is not a program that can be run here; install ${basename(executable)}.`,
    );
  const {
    tmux_server: _server,
    tmux_pane: _pane,
    ...backend_state
  } = manifest.backend_state as Record<string, unknown>;
  makeFolder(manifest.launch_plan.home_selector.home_path, 0o700);
  return {
    ...manifest,
    backend_state,
    launch_plan: { ...manifest.launch_plan, executable: here, mailbox: null },
  };
}

function relocateBrain(unpacked: SessionPaths, { launch_plan }: Manifest, moves: readonly Move[]): void {
  const path = join(unpacked.root, 'brain.yaml');
  const { mailbox: _, ...brain } = withTexts(parse(readFileSync(path, 'utf8')), (text) =>
    movedPath(text, moves),
  );
  const runtime = { ...brain.runtime, launch_executable: launch_plan.executable };
  writeFileSync(path, stringify({ ...brain, runtime }), { mode: 0o600 });
}

/** The variables that are those of the machine. */
const ofMachine = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR'];

/** Writes the variables of each turn as they are here. @returns the secrets that this environment does not have. */
function relocateEnvironment(
  unpacked: SessionPaths,
  { secrets }: SavedAgent,
  moves: readonly Move[],
  environment: NodeJS.ProcessEnv,
): string[] {
  const path = join(unpacked.root, 'agent.env');
  const saved = parseEnv(readFileSync(path, 'utf8')) as Record<string, string>;
  const named = Object.entries(saved).map(([name, value]) => [
    name,
    ofMachine.includes(name) ? (environment[name] ?? value) : movedPath(value, moves),
  ]);
  const found = secrets.flatMap((name) =>
    environment[name] === undefined ? [] : [[name, environment[name]]],
  );
  writeFileSync(path, toEnvironmentFile(Object.fromEntries([...named, ...found])), { mode: 0o600 });
  return secrets.filter((name) => environment[name] === undefined);
}

/** Ends on record what ran, and pauses queue and reminders: the machine that was saved may still run what waits. */
async function settle(
  paths: SessionPaths,
  clock: Clock,
): Promise<Pick<RestoredAgent, 'waiting' | 'ended' | 'reminders'>> {
  const events = openSessionStore({
    paths,
    schemas: [...rowSchemas, reminderSchema],
    program: 'gateway',
    clock,
    // An obstacle to storing is thrown instead.
    print: () => undefined,
  });
  const { store, journal } = events;
  try {
    const queue = new RequestJournal(store, journal);
    const table = new ReminderTable(store);
    const reminders = table.all().filter(({ paused }) => !paused);
    let ended = 0;
    await endLeft(
      { runsOn: () => false, journal, turns: new TurnTable(store), queue, session: null, clock },
      restarted,
      (_atUtc, { requests }) => {
        ended = requests;
      },
    );
    await journal.write((atUtc) => {
      queue.setPaused(atUtc, true);
      for (const reminder of reminders) table.put({ ...reminder, paused: true });
    });
    return { waiting: queue.depth, ended, reminders: reminders.length };
  } finally {
    events.feed.close();
    await events.close();
  }
}

/** A folder that is elsewhere now. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** Pure: returns where a path is now; the move with the longest folder decides. A text that is no such path stays. */
export function movedPath(text: string, moves: readonly Move[]): string {
  const [move] = moves
    .filter(({ from }) => text === from || text.startsWith(`${from}/`))
    .sort((a, b) => b.from.length - a.from.length);
  return move === undefined ? text : move.to + text.slice(move.from.length);
}

/** Pure: returns the same value with each of its texts changed, at any depth; the names of fields stay. */
export function withTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (Array.isArray(value)) return value.map((item) => withTexts(item, change)) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withTexts(inner, change)]),
  ) as T;
}
