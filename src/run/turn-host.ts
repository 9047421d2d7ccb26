import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { markVariables } from '../foundation/marked-processes.js';
import { identify, type ProcessIdentity } from '../foundation/processes.js';
import { startOf } from '../foundation/programs.js';
import type { RecordedPane, TmuxPaneLocation } from '../session/manifest-facts.js';
import { prepareArtifacts } from '../session/session-paths.js';
import { agentPaneIn } from '../terminal/pane-listing.js';
import { leftShell } from '../terminal/start-script.js';
import type { Tmux } from '../terminal/tmux.js';
import { UnwritableArtifacts } from './start-agent.js';
import { revokeJob, type TurnJob, writeJob } from './turn-job.js';

/** The place in which the runner of a turn is started. */
export interface TurnHost {
  /** A phrase that follows "the agent was started"; may be empty. */
  readonly place: string;
  /**
   * Starts the runner of a job that waits in its file.
   * @param report takes the runner's error output, as far as the host gets it.
   * @returns the runner, if it is known already.
   * @throws if nothing was started.
   */
  spawn(jobFile: string, job: TurnJob, report: (fault: string) => void): Promise<ProcessIdentity | null>;
}

/**
 * Starts a turn without following it: its runner continues alone, and its files show its state.
 * @returns the runner, if it is known already.
 * @throws {UnwritableArtifacts} and the errors of the host; nothing runs then.
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

/**
 * Runs turns without a terminal, for agents without a tmux session.
 *
 * Each turn is supervised by a runner of its own, in a session of its own, and not by the process that requests it. If that
 * process were the parent and died or left, no process would learn the agent's exit code, end an agent that stays after its
 * result, or end the processes it leaves behind. The runner continues with all of it, as the one in a tmux pane does, and the
 * next owner finds the results in files. The price is a start of Node for each turn.
 * @param environment the environment of the program that requests turns.
 */
export const processHost = (environment: NodeJS.ProcessEnv): TurnHost => ({
  place: '',
  async spawn(jobFile, job, report) {
    const [node, program] = await startOf('turn-runner', environment);
    const runner = spawn(node, [program, jobFile], {
      // The mark allows the runner to be found before its pid is on disk. The agent's environment comes with the job.
      env: markVariables(job),
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const { pid } = runner;
    if (pid === undefined) {
      const [error] = await once(runner, 'error');
      throw error;
    }
    createInterface({ input: runner.stderr }).on('line', report);
    // Neither of them keeps this process from exiting.
    runner.unref();
    (runner.stderr as Socket).unref();
    return identify(pid);
  },
});

/** The session of a headless agent. */
interface AgentSession {
  tmux: Tmux;
  session: string;
  /** Null if nothing records which pane is the agent's. */
  recorded: RecordedPane | null;
  /** Records a pane that was opened because the agent had none any more. */
  opened: (place: TmuxPaneLocation) => void;
  /** The environment of the program that requests turns. */
  environment: NodeJS.ProcessEnv;
}

/**
 * Runs turns in the agent's tmux pane, where its operator can watch. The pane shows the reports of the runner. If the pane was
 * closed and the session still exists, the agent gets another one: programs in the other panes are not ours.
 */
export const tmuxHost = ({ tmux, session, recorded, opened, environment }: AgentSession): TurnHost => ({
  place: ` in tmux session ${session}`,
  async spawn(jobFile, job, report) {
    const runner = [...(await startOf('turn-runner', environment)), jobFile].map(quote).join(' ');
    const mark = Object.entries(markVariables(job)).map(([name, value]) => `${name}=${quote(value)}`);
    const command = `${mark.join(' ')} ${runner}; ${leftShell}`;
    const panes = (await tmux.panes()).filter((pane) => pane.session === session);
    const pane = agentPaneIn(panes, recorded, () => false);
    if (pane) {
      await tmux.respawnPane(pane.paneId, job.workingDirectory, command);
      return null;
    }
    const place = await tmux.newWindow(session, 'agent', job.workingDirectory, {}, [
      '/bin/sh',
      '-c',
      command,
    ]);
    try {
      opened(place);
    } catch (error) {
      report(`its new pane ${place.paneId} could not be recorded: ${(error as Error).message}`);
    }
    return null;
  },
});

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
