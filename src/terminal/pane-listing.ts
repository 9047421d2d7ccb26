import type { PaneStatus, TmuxAsker } from './pane.js';

/** A pane as tmux lists it. */
export interface ListedPane {
  session: string;
  windowIndex: string;
  paneId: string;
  status: PaneStatus;
  /** When a program last wrote in its window, in whole seconds since 1970. */
  writtenAt: number;
}

const fields = [
  'window_index',
  'pane_id',
  'pane_dead',
  'pane_pid',
  'pane_in_mode',
  'alternate_on',
  'window_activity',
];
/** No name of a session holds a colon, and a title may hold anything but a line break. */
const listingFormat = `${fields.map((name) => `#{${name}}`).join(' ')} #{session_name}:#{pane_title}`;
const line = /^(\d+) (%\d+) ([01]) (\d+) ([01]) ([01]) (\d+) ([^:]*):(.*)$/;

/** Pure. @returns null for a line that is none of a listing. */
export function readListedPane(text: string): ListedPane | null {
  const [, windowIndex = '', paneId = '', dead, pid, inMode, alternate, written, session = '', title = ''] =
    line.exec(text) ?? [];
  if (paneId === '') return null;
  return {
    ...{ session, windowIndex, paneId, writtenAt: Number(written) },
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
