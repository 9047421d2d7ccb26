import { markVariables } from '../foundation/marked-processes.js';
import { startOf } from '../foundation/programs.js';
import type { RecordedPane, TmuxPlace } from '../session/manifest-facts.js';
import { agentPaneIn } from '../terminal/own-pane.js';
import { leftShell } from '../terminal/start-script.js';
import type { Tmux } from '../terminal/tmux.js';
import type { TurnHost } from './turn-host.js';

/** The session of a headless agent. */
export interface AgentSession {
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
