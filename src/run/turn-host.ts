import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { markVariables } from '../foundation/marked-processes.js';
import { identify, type ProcessIdentity } from '../foundation/processes.js';
import { startOf } from '../foundation/programs.js';
import type { RecordedPane, TmuxPlace } from '../session/manifest-facts.js';
import { prepareArtifacts } from '../session/session-paths.js';
import { agentPaneIn } from '../terminal/pane-listing.js';
import { leftShell } from '../terminal/start-script.js';
import type { Tmux } from '../terminal/tmux.js';
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

/**
 * Runs turns without a terminal, for agents without a tmux session.
 *
 * Each turn is supervised by a runner of its own, in a session of its own, and not by the process that asks for it. When
 * that process dies or leaves, nobody would learn the agent's exit code, end an agent that stays after its result, or
 * end what it leaves behind: a child belongs to its parent only. The runner goes on with all of it, as the one in a
 * tmux pane does, and whoever comes next finds in files what it would have been told. The price is a start of Node per
 * turn.
 * @param environment of the program that asks for turns.
 */
export const processHost = (environment: NodeJS.ProcessEnv): TurnHost => ({
  place: '',
  async spawn(jobFile, job, report) {
    const [node, program] = await startOf('turn-runner', environment);
    const runner = spawn(node, [program, jobFile], {
      // By the mark it is found before its pid is on disk. The agent's environment comes with the job.
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
    // Neither keeps a process from leaving that has something else to do.
    runner.unref();
    (runner.stderr as Socket).unref();
    return identify(pid);
  },
});

/** The session of a headless agent. */
interface AgentSession {
  tmux: Tmux;
  session: string;
  /** Null where nothing says which pane is the agent's. */
  recorded: RecordedPane | null;
  /** Takes note of a pane that was opened since the agent had none any more. */
  opened: (place: TmuxPlace) => void;
  /** Of the program that asks for turns. */
  environment: NodeJS.ProcessEnv;
}

/**
 * Runs turns in the agent's tmux pane, where its operator can watch. The pane shows what the runner reports. Where somebody has closed
 * it, and the session is there, the agent gets another one: what runs in the others is not ours.
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
