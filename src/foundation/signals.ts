/** Sends a signal to a pid, or to a whole process group; false when there is no such process. */
function send(target: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

export const signalProcess = (pid: number, signal: NodeJS.Signals): boolean => send(pid, signal);
export const signalGroup = (leaderPid: number, signal: NodeJS.Signals): boolean => send(-leaderPid, signal);
