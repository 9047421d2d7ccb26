import { readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { removeWithUnfinished, writeFileAtomic } from '../foundation/atomic-file.js';
import type { TurnMark } from '../foundation/marked-processes.js';
import type { HeadlessDisplay } from '../session/manifest-facts.js';
import type { TurnArtifacts } from '../session/session-paths.js';
import type { ToolName } from '../tools/adapter/tool-adapter.js';

/** Everything that is needed to run one turn, even by a process that has no other information. */
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
  /** Missing if the owner of the turns was started before an update. */
  display?: HeadlessDisplay;
}

/** Returns the file in which the job of a turn waits for its runner. */
export const jobFileOf = (runDirectory: string, turnId: string): string =>
  join(runDirectory, `job-${turnId}.json`);

/** Writes the job. It contains the environment of the turn, so no other user may read it. */
export function writeJob(path: string, job: TurnJob): void {
  writeFileAtomic(path, JSON.stringify(job), { mode: 0o600 });
}

/** Reads a job and removes its file, so that it runs once. @throws if the file is not there, or no longer. */
export function takeJob(path: string): TurnJob {
  const job = JSON.parse(readFileSync(path, 'utf8')) as TurnJob;
  unlinkSync(path);
  return job;
}

/** Removes a job, so that a later runner finds none; the file of a half written job contains secrets, too. */
export const revokeJob = (path: string): void => removeWithUnfinished(path);

const loopback = ['localhost', '127.0.0.1', '::1'];

/**
 * Returns the environment of a turn (docs/decisions.md#environment-of-a-turn): the variables of the launch, then the tool's own
 * additions and its home, a terminal type with colours, and loopback in NO_PROXY.
 * @param home null lets the tool find its files as it does for the user.
 */
export function turnEnvironment(
  launch: Readonly<Record<string, string>>,
  tool: Readonly<Record<string, string>>,
  home: { variable: string; path: string } | null,
): Record<string, string> {
  const environment: Record<string, string> = { ...launch, ...tool };
  if (home) environment[home.variable] = home.path;
  if (environment.HOUMAO_ENABLE_TMUX_CONFIG_INJECTION !== '0') {
    environment.TERM = 'tmux-256color';
    environment.COLORTERM = 'truecolor';
    delete environment.NO_COLOR;
  }
  if (environment.HOUMAO_PRESERVE_NO_PROXY_ENV !== '1') {
    const named = [environment.NO_PROXY, environment.no_proxy].flatMap((list) => list?.split(',') ?? []);
    const merged = [...new Set([...named.map((host) => host.trim()).filter(Boolean), ...loopback])].join(',');
    environment.NO_PROXY = merged;
    environment.no_proxy = merged;
  }
  return environment;
}
