import { markVariables } from '../foundation/marked-processes.js';
import { programFile } from '../foundation/programs.js';
import { leftShell } from '../terminal/start-script.js';
import type { Tmux } from '../terminal/tmux.js';
import type { TurnHost } from './turn-host.js';

/** Runs turns in the agent's tmux pane, where its operator can watch. The pane shows what the runner reports. */
export const tmuxHost = (tmux: Tmux, session: string): TurnHost => ({
  place: ` in tmux session ${session}`,
  async spawn(jobFile, job) {
    const runner = [process.execPath, programFile('turn-runner'), jobFile].map(quote).join(' ');
    const mark = Object.entries(markVariables(job)).map(([name, value]) => `${name}=${quote(value)}`);
    const command = `${mark.join(' ')} ${runner}; ${leftShell}`;
    await tmux.respawnAgentPane(session, job.workingDirectory, command);
    return null;
  },
});

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
