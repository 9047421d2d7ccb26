import { readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { removeWithUnfinished, writeFileAtomic } from '../foundation/atomic-file.js';
import type { TurnMark } from '../foundation/marked-processes.js';
import type { HeadlessDisplay } from '../session/headless-display.js';
import type { TurnArtifacts } from '../session/turn-artifacts.js';
import type { ToolName } from '../tools/adapter/tool-name.js';

/** Everything needed to run one turn, also by a process that knows nothing else. */
export interface TurnJob extends TurnMark {
  turnIndex: number;
  tool: ToolName;
  executable: string;
  args: readonly string[];
  workingDirectory: string;
  environment: Readonly<Record<string, string>>;
  stdin: string;
  files: Readonly<Record<string, string>>;
  artifacts: TurnArtifacts;
  /** Left out by an owner of turns that was started before an update. */
  display?: HeadlessDisplay;
}

/** Where the job of a turn waits for its runner. */
export const jobFileOf = (runDirectory: string, turnId: string): string =>
  join(runDirectory, `job-${turnId}.json`);

/** It holds the environment of the turn, so nobody else may read it. */
export function writeJob(path: string, job: TurnJob): void {
  writeFileAtomic(path, JSON.stringify(job), { mode: 0o600 });
}

/** Takes a job away, so that it runs once. @throws when it is not there, or no longer. */
export function takeJob(path: string): TurnJob {
  const job = JSON.parse(readFileSync(path, 'utf8')) as TurnJob;
  unlinkSync(path);
  return job;
}

/** A runner that comes later finds nothing to do; a job that was half written holds secrets, too. */
export const revokeJob = (path: string): void => removeWithUnfinished(path);
