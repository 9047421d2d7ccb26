import { execFile } from 'node:child_process';

/** tmux is not there, or said no. */
export class TmuxFault extends Error {
  override readonly name = 'TmuxFault';
}

/** Runs tmux once; arguments stay well under its limit of 16 KB (trap T-30). */
function tmux(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('tmux', [...args], { timeout: 5000, encoding: 'utf8' }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const reason =
        error.code === 'ENOENT'
          ? 'tmux was not found; install it (Debian: apt-get install tmux)'
          : stderr.trim() || error.message;
      reject(new TmuxFault(`tmux ${args[0]}: ${reason}`));
    });
  });
}

/** The agent's window is index 0, its pane is 0 in it (execution §3). `=` stops tmux from matching a prefix. */
export const agentPane = (session: string): string => `=${session}:0.0`;

export async function hasSession(session: string): Promise<boolean> {
  return tmux(['has-session', '-t', `=${session}`]).then(
    () => true,
    () => false,
  );
}

/** A detached session with one window, index 0, named `agent`. */
export async function newSession(session: string, directory: string): Promise<void> {
  await tmux(['new-session', '-d', '-s', session, '-n', 'agent', '-c', directory, '-x', '200', '-y', '50']);
  await tmux(['set-option', '-t', `=${session}:`, 'mouse', 'on']);
  const [index] = (await tmux(['list-windows', '-t', `=${session}`, '-F', '#{window_index}'])).split('\n');
  if (index !== '0') await tmux(['move-window', '-s', `=${session}:${index}`, '-t', `=${session}:0`]);
  await tmux(['set-option', '-w', '-t', `=${session}:0`, 'pane-base-index', '0']);
}

export async function killSession(session: string): Promise<void> {
  await tmux(['kill-session', '-t', `=${session}`]);
}

/** Replaces what runs in the agent's pane. The command is short: jobs travel by file, never by this command line. */
export async function respawnAgentPane(session: string, directory: string, command: string): Promise<void> {
  await tmux(['respawn-pane', '-k', '-t', agentPane(session), '-c', directory, command]);
}

export async function setEnvironment(session: string, name: string, value: string | null): Promise<void> {
  await tmux(
    value === null
      ? ['set-environment', '-t', `=${session}`, '-u', name]
      : ['set-environment', '-t', `=${session}`, name, value],
  );
}

/** Where a window is; ids stay, the index may change. */
export interface WindowHandle {
  windowId: string;
  windowIndex: string;
  paneId: string;
}

/** A further window that runs a program; it does not come to the front. */
export async function newWindow(
  session: string,
  name: string,
  directory: string,
  environment: Readonly<Record<string, string>>,
  command: readonly string[],
): Promise<WindowHandle> {
  const variables = Object.entries(environment).flatMap(([variable, value]) => [
    '-e',
    `${variable}=${value}`,
  ]);
  const format = '#{window_id} #{window_index} #{pane_id}';
  const place = ['-d', '-P', '-F', format, '-t', `=${session}:`, '-n', name, '-c', directory];
  const [windowId = '', windowIndex = '', paneId = ''] = (
    await tmux(['new-window', ...place, ...variables, ...command])
  )
    .trim()
    .split(' ');
  return { windowId, windowIndex, paneId };
}

export async function hasWindow(windowId: string): Promise<boolean> {
  const found = await tmux(['list-windows', '-a', '-F', '#{window_id}']).catch(() => '');
  return found.split('\n').includes(windowId);
}

export async function killWindow(windowId: string): Promise<void> {
  await tmux(['kill-window', '-t', windowId]);
}
