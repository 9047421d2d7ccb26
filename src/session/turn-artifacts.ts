import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../foundation/folders-in.js';
import { makeFolder } from '../foundation/make-folder.js';
import type { SessionPaths } from './session-paths.js';

/** The files of one turn (docs/decisions.md#artifacts). */
export interface TurnArtifacts {
  readonly directory: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly process: string;
  readonly canonicalEvents: string;
  readonly exitCode: string;
  /** Ours: why the agent could not be started. */
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
    exitCode: join(directory, 'exitcode'),
    startFault: join(directory, 'start-fault.json'),
  };
}

/** Whether a turn of that name has run here; an empty folder does not count. */
export const hasRun = (files: TurnArtifacts): boolean =>
  existsSync(files.process) || existsSync(files.exitCode);

/** Makes the folder, without stale files that a reader would take for this turn's. */
export function prepareArtifacts(files: TurnArtifacts): void {
  makeFolder(files.directory, 0o700);
  for (const stale of [files.exitCode, files.startFault]) rmSync(stale, { force: true });
}

/** Names of the files, relative to the session root. */
export function listArtifacts(paths: SessionPaths, turnId: string): string[] {
  const { directory } = turnArtifacts(paths, turnId);
  // Where a file stands in the place of all artifacts, the turn has none.
  if (statSync(paths.turnArtifacts, { throwIfNoEntry: false })?.isDirectory() === false) return [];
  return namesIn(directory)
    .filter((name) => !name.endsWith('.tmp'))
    .sort()
    .map((name) => `manifest.turn-artifacts/${turnId}/${name}`);
}
