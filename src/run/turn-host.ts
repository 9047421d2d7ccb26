import type { ProcessIdentity } from '../foundation/process-identity.js';
import { prepareArtifacts } from '../session/turn-artifacts.js';
import { UnwritableArtifacts } from './start-agent.js';
import { revokeJob, type TurnJob, writeJob } from './turn-job.js';

/** Where the runner of a turn is started. */
export interface TurnHost {
  /** In words, to stand behind "the agent was started"; empty where there is nothing to say. */
  readonly place: string;
  /**
   * Starts the runner of a job that waits in its file.
   * @param report takes what the runner complains about, as far as the host hears it.
   * @returns the runner, where it is known already.
   * @throws when nothing was started.
   */
  spawn(jobFile: string, job: TurnJob, report: (fault: string) => void): Promise<ProcessIdentity | null>;
}

/**
 * Starts a turn and follows it no further: its runner goes on alone, and its files tell how it is.
 * @returns the runner, where it is known already.
 * @throws {UnwritableArtifacts} and what the host throws; nothing runs then.
 */
export async function spawnTurn(
  host: TurnHost,
  job: TurnJob,
  jobFile: string,
  report: (fault: string) => void,
): Promise<ProcessIdentity | null> {
  try {
    prepareArtifacts(job.artifacts);
    writeJob(jobFile, job);
  } catch (error) {
    revokeJob(jobFile);
    throw new UnwritableArtifacts(error);
  }
  return host.spawn(jobFile, job, report);
}
