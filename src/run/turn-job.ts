import { readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { removeWithUnfinished, writeFileAtomic } from '../foundation/atomic-file.js';
import type { TurnMark } from '../foundation/marked-processes.js';
import type { HeadlessDisplay } from '../session/manifest-facts.js';
import type { TurnArtifacts } from '../session/session-paths.js';
import type { ToolName } from '../tools/adapter/tool-adapter.js';

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

const loopback = ['localhost', '127.0.0.1', '::1'];

/**
 * The environment of a turn (docs/decisions.md#environment-of-a-turn): what the launch recorded, then the tool's own
 * additions and its home, a terminal type with colours, and loopback in NO_PROXY.
 * @param home null leaves the tool to find its files as it does for the user.
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
