import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findAgentTmux } from '../agent/local/agent-place.js';
import { type DirectoryLock, tryLock } from '../foundation/directory-lock.js';
import { UnusableFile, unlessUnusable } from '../foundation/faults.js';
import { foldersIn } from '../foundation/folders.js';
import { processesOfSession } from '../foundation/marked-processes.js';
import { currentInstanceFile } from '../session/current-instance.js';
import { readManifest } from '../session/manifest.js';
import { attachIdentityOf } from '../session/manifest-facts.js';
import type { Manifest } from '../session/manifest-schema.js';
import { listRecords } from '../session/registry.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';
import type { Tmux } from '../terminal/tmux.js';
import { TmuxFault } from '../terminal/tmux-fault.js';
import { TurnOwnership } from '../turn/turn-ownership.js';
import { toFound } from './agent-directory.js';
import type { AgentHost } from './agent-host.js';
import { canonicalName } from './agent-name.js';
import { sessionsFolder } from './create-session.js';
import { paneToEnd } from './end-terminal.js';
import { gatewayProcess } from './live-gateway.js';

/** The files of a stopped agent. */
export interface StoppedSession {
  readonly agentName: string | null;
  readonly paths: SessionPaths;
  readonly bytes: number;
}

/** A session that is kept, because a part of it may still run. */
export interface KeptSession {
  readonly root: string;
  /** A clause without a full stop. */
  readonly reason: string;
}

/**
 * Finds the sessions below the runtime root that were stopped, that no registry record names, and in which nothing runs. Those in
 * the registry are not listed.
 *
 * @param others manifests that another program uses, such as a server.
 * @throws {UnusableFile} if a registry record cannot be read: it may name any of them.
 */
export async function stoppedSessions(
  host: AgentHost,
  others: ReadonlySet<string>,
): Promise<{ stopped: StoppedSession[]; kept: KeptSession[] }> {
  const registered = registeredRoots(host);
  const stopped: StoppedSession[] = [];
  const kept: KeptSession[] = [];
  const roots = rootsBelow(sessionsFolder(host)).filter((root) => !registered.has(root));
  for (const root of roots) {
    const paths = sessionPaths(root);
    const reason = others.has(paths.manifest)
      ? 'a managed-agent server uses it'
      : await whyKept(paths, host.tmux);
    if (reason !== null) kept.push({ root, reason });
    else
      stopped.push({
        agentName: readManifest(paths.manifest).agent_name ?? null,
        paths,
        bytes: sizeOf(root),
      });
  }
  return { stopped, kept };
}

/** A stopped agent, as far as its files describe it. */
export interface StoppedAgent {
  readonly manifest: Manifest;
  readonly root: string;
  /** ISO 8601; empty if the mark does not contain it. */
  readonly stoppedAt: string;
}

/**
 * Returns the agent of that name or id that was stopped last; null if there are no files of one. Does not check whether a part of
 * it still runs.
 */
export function lastStopped(asked: string, host: Pick<AgentHost, 'runtimeRoot'>): StoppedAgent | null {
  const wanted = canonicalName(asked);
  const found = rootsBelow(sessionsFolder(host)).flatMap((root) => {
    const paths = sessionPaths(root);
    const stoppedAt = markOf(paths);
    const manifest = stoppedAt === null ? null : unlessUnusable(() => readManifest(paths.manifest));
    if (stoppedAt === null || manifest === null) return [];
    const name = manifest.agent_name;
    const isNamed = typeof name === 'string' && canonicalName(name) === wanted;
    return isNamed || manifest.agent_id === asked ? [{ manifest, root, stoppedAt }] : [];
  });
  return found.sort((one, other) => (one.stoppedAt < other.stoppedAt ? 1 : -1))[0] ?? null;
}

/** Returns null also for a mark that cannot be read: it does not make an agent a stopped one. */
function markOf({ stoppedAt }: SessionPaths): string | null {
  try {
    return readFileSync(stoppedAt, 'utf8').trim();
  } catch {
    return null;
  }
}

/** Deletes a stopped session. Nothing can be started in it meanwhile. @returns why it stays; null if it was deleted. */
export function deleteSession({ paths }: StoppedSession, host: AgentHost): string | null {
  const locks: Pick<DirectoryLock, 'release'>[] = [];
  try {
    for (const take of [() => tryLock(paths.lock), () => TurnOwnership.take(paths.run, 'houmao-mgr')]) {
      const lock = take();
      if (lock === null) return 'another program has taken it meanwhile';
      locks.push(lock);
    }
    if (registeredRoots(host).has(paths.root)) return 'it was registered meanwhile';
    rmSync(paths.root, { recursive: true, force: true });
    return null;
  } finally {
    // The lock files are gone with the session.
    for (const lock of existsSync(paths.run) ? locks : []) lock.release();
  }
}

function registeredRoots({ registryRoot }: AgentHost): Set<string> {
  const records = listRecords(registryRoot, (fault) => {
    throw fault;
  });
  return new Set(records.map((record) => toFound(record).paths.root));
}

const rootsBelow = (folder: string): string[] =>
  foldersIn(folder)
    .flatMap((backend) => foldersIn(backend))
    .filter((root) => existsSync(sessionPaths(root).manifest));

async function whyKept(paths: SessionPaths, tmux: Tmux): Promise<string | null> {
  // Another registry may name a session without this mark, or a launch that is still running will register it
  // (docs/decisions.md#stopped-sessions).
  if (!existsSync(paths.stoppedAt)) return 'it was not stopped';
  let manifest: Manifest;
  try {
    manifest = readManifest(paths.manifest);
    const instance = currentInstanceFile.read(paths.currentInstance);
    if (instance && gatewayProcess(instance.pid, paths)) return 'its gateway runs';
  } catch (error) {
    if (error instanceof UnusableFile) return error.message;
    throw error;
  }
  const session = manifest.tmux_session_name;
  try {
    const its = session ? await findAgentTmux(manifest, tmux) : null;
    if (its && session && paneToEnd(await its.panes(), session, manifest))
      return `its tmux session ${session} runs`;
  } catch (error) {
    if (!(error instanceof TmuxFault)) throw error;
    return `it is not known whether its tmux session ${session} runs (${error.message})`;
  }
  if (processesOfSession(attachIdentityOf(manifest, basename(paths.root))).length > 0)
    return 'a turn of it runs';
  return null;
}

/** Returns the bytes of a file, or of all files below a folder. @throws the file system's error */
export const sizeOf = (path: string): number => {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
};
