import type { RecordedPane, TmuxServer } from '../session/manifest-facts.js';
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
    session,
    sessionId,
    paneId,
    begunByUs: begun === '1',
    writtenAt: Number(written),
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

// Which pane of a session is the agent's: by the id that is recorded, which counts on the tmux server that gave it. People open,
// close, move and split windows beside it, and renumber them; what runs in their panes is never touched.

/** @property known false where nothing says it: the record is of an earlier release, or of another session than this one. */
type OwnPane = { known: true; pane: ListedPane | null } | { known: false; panes: readonly ListedPane[] };

/** Pure. @param panes those of the agent's session. @param recorded null in a manifest that does not say it. */
export function ownPaneIn(panes: readonly ListedPane[], recorded: RecordedPane | null): OwnPane {
  const oldestFirst = [...panes].sort((one, other) => numberOf(one) - numberOf(other));
  const own =
    panes.find((pane) => recorded !== null && isRecorded(pane, recorded)) ??
    oldestFirst.find(({ begunByUs }) => begunByUs);
  if (own) return { known: true, pane: own };
  const isItsSession = panes.some(
    (pane) => isOnServer(pane, recorded?.server ?? null) && pane.sessionId === recorded?.sessionId,
  );
  return isItsSession ? { known: true, pane: null } : { known: false, panes: oldestFirst };
}

/**
 * The pane in which the agent's programs are started and ended. Where nothing says which one it is, it is the one with its tool, and
 * in a session that an earlier release made its first one.
 */
export function agentPaneIn(
  panes: readonly ListedPane[],
  recorded: RecordedPane | null,
  hasTool: (pane: ListedPane) => boolean,
): ListedPane | null {
  const own = ownPaneIn(panes, recorded);
  if (own.known) return own.pane;
  return own.panes.find(hasTool) ?? (recorded === null ? (own.panes[0] ?? null) : null);
}

/**
 * The pane that is looked at where nothing says which one is the agent's: the same one as long as it is there, and at first the one
 * with the tool.
 * @param panes the oldest first. @param before the id of the one that was looked at last.
 */
export const paneToWatch = (
  panes: readonly ListedPane[],
  before: string | undefined,
  hasTool: (pane: ListedPane) => boolean,
): ListedPane | null =>
  panes.find(({ paneId }) => paneId === before) ??
  panes.find((pane) => !pane.status.dead && hasTool(pane)) ??
  panes.find(({ status }) => !status.dead) ??
  panes[0] ??
  null;

/** Whether it is that very pane, in whichever session it is by now. */
export const isRecorded = (pane: ListedPane, { paneId, server }: RecordedPane): boolean =>
  pane.paneId === paneId && (server === null || isOnServer(pane, server));

const isOnServer = ({ server }: ListedPane, recorded: RecordedPane['server']): boolean =>
  server.pid === recorded?.pid && server.startedAt === recorded.startedAt;

const numberOf = ({ paneId }: ListedPane): number => Number(paneId.slice(1));
