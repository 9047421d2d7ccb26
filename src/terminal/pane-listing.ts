import type { TmuxServer } from '../session/manifest-facts.js';
import type { PaneStatus, TmuxAsker } from './pane.js';

/** A pane as tmux lists it. */
export interface ListedPane {
  session: string;
  /** Of the session, on its server; never given again. */
  sessionId: string;
  server: Pick<TmuxServer, 'pid' | 'startedAt'>;
  paneId: string;
  /** Its program was begun by us: a turn of a headless agent, or the tool of one in a terminal. */
  begunByUs: boolean;
  status: PaneStatus;
  /** When a program last wrote in its window, in whole seconds since 1970. */
  writtenAt: number;
}

/** What our commands name: the runner of a turn, and the script of a terminal. */
const begunByUs = ['*turn-runner*', '*/terminal/start.sh*']
  .map((pattern) => `#{m:${pattern},#{pane_start_command}}`)
  .join(',');
const fields = [
  ...['#{pid}', '#{start_time}', '#{session_id}', '#{pane_id}', `#{||:${begunByUs}}`],
  ...['#{pane_dead}', '#{pane_pid}', '#{pane_in_mode}', '#{alternate_on}', '#{window_activity}'],
];
/** No name of a session holds a colon, and a title may hold anything but a line break. */
export const listingFormat = `${fields.join(' ')} #{session_name}:#{pane_title}`;
const line = /^(\d+) (\d+) (\$\d+) (%\d+) ([01]) ([01]) (\d+) ([01]) ([01]) (\d+) ([^:]*):(.*)$/;

/** Pure. @returns null for a line that is none of a listing. */
export function readListedPane(text: string): ListedPane | null {
  const [, serverPid, startedAt, sessionId = '', paneId = '', begun, dead, pid, ...more] =
    line.exec(text) ?? [];
  const [inMode, alternate, written, session = '', title = ''] = more;
  if (paneId === '') return null;
  return {
    ...{ session, sessionId, paneId, begunByUs: begun === '1', writtenAt: Number(written) },
    server: { pid: Number(serverPid), startedAt: Number(startedAt) },
    status: {
      dead: dead === '1',
      pid: Number(pid),
      inMode: inMode === '1',
      alternateScreen: alternate === '1',
      title,
    },
  };
}

/** @param which arguments of `list-panes` that say which are meant. @throws {TmuxFault} */
export async function listPanes(tmux: TmuxAsker, which: readonly string[]): Promise<readonly ListedPane[]> {
  const lines = await tmux.ask(['list-panes', ...which, '-F', listingFormat]);
  return lines.flatMap((text) => readListedPane(text) ?? []);
}
