import type { Clock } from '../foundation/clock.js';
import { identify, isAlive, type ProcessIdentity } from '../foundation/process-identity.js';
import { Pane } from '../terminal/pane.js';
import { processTree } from '../terminal/process-tree.js';
import type { Tmux } from '../terminal/tmux.js';

const leaveMilliseconds = 2000;
const lookMilliseconds = 50;

/** What runs in the pane of an agent's session now. None where there is no such session. @throws {TmuxFault} */
export async function processesInTerminal(tmux: Tmux, session: string): Promise<ProcessIdentity[]> {
  if (!(await tmux.hasSession(session))) return [];
  const control = await tmux.control(session, { wrote: () => undefined, closed: () => undefined });
  try {
    const [id = ''] = await control.ask(['display-message', '-p', '-t', `=${session}:0.0`, '#{pane_id}']);
    const { pid } = await new Pane(control, id).status();
    return processTree(pid)
      .map((one) => identify(one.pid))
      .filter((one) => one !== null);
  } finally {
    await control.close();
  }
}

/** Ends what has outlived its terminal: some tools take no notice of that. Resolves when all of it is gone. */
export async function endLeftInTerminal(processes: readonly ProcessIdentity[], clock: Clock): Promise<void> {
  for (const signal of [null, 'SIGTERM', 'SIGKILL'] as const) {
    const alive = processes.filter(isAlive);
    if (alive.length === 0) return;
    if (signal) for (const { pid } of alive) kill(pid, signal);
    const deadline = clock.monotonic() + leaveMilliseconds;
    while (processes.some(isAlive) && clock.monotonic() < deadline) await clock.sleep(lookMilliseconds);
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has gone by itself.
  }
}
