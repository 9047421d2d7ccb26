import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { markVariables } from '../foundation/marked-processes.js';
import { identify } from '../foundation/process-identity.js';
import { startOf } from '../foundation/programs.js';
import type { TurnHost } from './turn-host.js';

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
