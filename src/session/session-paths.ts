import { existsSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { namesIn } from '../foundation/folders.js';
import { makeFolder } from '../foundation/make-folder.js';
import type { StoreName } from '../storage/storage-fault.js';
import type { Manifest } from './manifest-schema.js';

/** The paths of the files of one session. */
export interface SessionPaths {
  readonly root: string;
  readonly manifest: string;
  /** The time at which the agent was stopped; only the program that stopped it writes it. */
  readonly stoppedAt: string;
  readonly turnArtifacts: string;
  /** The credentials of the session's mailbox, if that is on a mail server. */
  readonly mailSecrets: string;
  /** The downloaded attachments of mail on a mail server. */
  readonly mailAttachments: string;
  /** The start script of an agent in a terminal, and the files its tool needs beside it. */
  readonly terminal: string;
  /** The rows that the hooks of the tool in that terminal write, if it was launched with hooks. */
  readonly hookRows: string;
  readonly gateway: string;
  readonly queue: string;
  readonly state: string;
  readonly attach: string;
  readonly gatewayManifest: string;
  readonly protocolVersion: string;
  readonly desiredConfig: string;
  /** Ours: how long requests and logs are kept. */
  readonly keeping: string;
  readonly accessToken: string;
  readonly events: string;
  readonly log: string;
  readonly diagnostics: string;
  readonly run: string;
  readonly currentInstance: string;
  readonly pid: string;
  readonly lock: string;
}

/**
 * Returns the paths of a session.
 * @param given the session root or the `gateway` folder in it.
 */
export function sessionPaths(given: string): SessionPaths {
  const absolute = resolve(given);
  const root = basename(absolute) === 'gateway' ? dirname(absolute) : absolute;
  const gateway = join(root, 'gateway');
  const run = join(gateway, 'run');
  return {
    root,
    manifest: join(root, 'manifest.json'),
    stoppedAt: join(root, 'stopped-at'),
    turnArtifacts: join(root, 'manifest.turn-artifacts'),
    mailSecrets: join(root, 'mailbox-secrets'),
    mailAttachments: join(root, 'mail-attachments'),
    terminal: join(root, 'terminal'),
    hookRows: join(root, 'terminal', 'hooks.jsonl'),
    gateway,
    queue: join(gateway, 'queue.sqlite'),
    state: join(gateway, 'state.json'),
    attach: join(gateway, 'attach.json'),
    gatewayManifest: join(gateway, 'gateway_manifest.json'),
    protocolVersion: join(gateway, 'protocol-version.txt'),
    desiredConfig: join(gateway, 'desired-config.json'),
    keeping: join(gateway, 'keeping.json'),
    accessToken: join(gateway, 'access-token'),
    events: join(gateway, 'events.jsonl'),
    log: join(gateway, 'logs', 'gateway.log'),
    diagnostics: join(gateway, 'logs', 'diagnostics', 'gateway-diagnostic.log'),
    run,
    currentInstance: join(run, 'current-instance.json'),
    pid: join(run, 'gateway.pid'),
    lock: join(run, 'gateway.lock'),
  };
}

/** Returns the database of a session, `queue.sqlite`, as faults name it to the program that owns the session. */
export const queueStore = (
  paths: Pick<SessionPaths, 'queue'>,
  program: StoreName['program'] = 'gateway',
): StoreName => ({
  path: paths.queue,
  thing: 'queue',
  program,
});

/** Returns the variables by which a program that an agent runs knows its session, under the names of the older implementation. */
export const sessionVariables = (
  { agent_id, tool }: Pick<Manifest, 'agent_id' | 'tool'>,
  { manifest }: Pick<SessionPaths, 'manifest'>,
): Record<string, string> => ({
  HOUMAO_MANIFEST_PATH: manifest,
  HOUMAO_AGENT_ID: agent_id ?? '',
  HOUMAO_TOOL: tool,
});

/** The files of one turn (docs/decisions.md#artifacts). */
export interface TurnArtifacts {
  readonly directory: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly process: string;
  readonly canonicalEvents: string;
  /** Ours: the parts of the turn, which callers follow while it runs. */
  readonly parts: string;
  readonly exitCode: string;
  /** Ours: the reason why the agent could not be started. */
  readonly startFault: string;
}

export function turnArtifacts(paths: SessionPaths, turnId: string): TurnArtifacts {
  const directory = join(paths.turnArtifacts, turnId);
  return {
    directory,
    stdout: join(directory, 'stdout.jsonl'),
    stderr: join(directory, 'stderr.log'),
    process: join(directory, 'process.json'),
    canonicalEvents: join(directory, 'canonical-events.jsonl'),
    parts: join(directory, 'parts.jsonl'),
    exitCode: join(directory, 'exitcode'),
    startFault: join(directory, 'start-fault.json'),
  };
}

/** Returns whether a turn of this name has run here; an empty folder does not count. */
export const hasRun = (files: TurnArtifacts): boolean =>
  existsSync(files.process) || existsSync(files.exitCode);

/** Creates the folder, and removes stale files that a reader would take for this turn's. */
export function prepareArtifacts(files: TurnArtifacts): void {
  makeFolder(files.directory, 0o700);
  for (const stale of [files.exitCode, files.startFault]) rmSync(stale, { force: true });
}

/** Returns the names of the files, relative to the session root. */
export function listArtifacts(paths: SessionPaths, turnId: string): string[] {
  const { directory } = turnArtifacts(paths, turnId);
  // When a file is in the place of the folder of all artifacts, the turn has none.
  if (statSync(paths.turnArtifacts, { throwIfNoEntry: false })?.isDirectory() === false) return [];
  return namesIn(directory)
    .filter((name) => !name.endsWith('.tmp'))
    .sort()
    .map((name) => `manifest.turn-artifacts/${turnId}/${name}`);
}
