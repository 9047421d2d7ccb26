import type { RecordedPane, TmuxServer } from '../session/manifest-facts.js';
import type { PaneStatus, TmuxAsker } from './pane.js';

/** A pane as tmux lists it. */
export interface ListedPane {
  session: string;
  /** The id of the session on its server; never given again. */
  sessionId: string;
  server: Pick<TmuxServer, 'pid' | 'startedAt'>;
  paneId: string;
  /** Its program was started by us: a turn of a headless agent, or the tool of an agent in a terminal. */
  begunByUs: boolean;
  status: PaneStatus;
  /** The time of the last output in its window, in whole seconds since 1970. */
  writtenAt: number;
}

/** The names in our start commands: the runner of a turn, and the script of a terminal. */
const begunByUs = ['*turn-runner*', '*/terminal/start.sh*']
  .map((pattern) => `#{m:${pattern},#{pane_start_command}}`)
  .join(',');
const fields = [
  ...['#{pid}', '#{start_time}', '#{session_id}', '#{pane_id}', `#{||:${begunByUs}}`],
  ...['#{pane_dead}', '#{pane_pid}', '#{pane_in_mode}', '#{alternate_on}', '#{window_activity}'],
];
/**
 * The session and the title come last, behind a space and a colon: no name of a session contains a colon, and a title may contain
 * anything but a line break.
 */
export const listingFormat = `${fields.join(' ')} #{session_name}:#{pane_title}`;
const line = /^(\d+) (\d+) (\$\d+) (%\d+) ([01]) ([01]) (\d+) ([01]) ([01]) (\d+) ([^:]*):(.*)$/;

/** Pure. @returns null for a line that is not of a listing. */
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

/** @param which the arguments of `list-panes` that select the panes. @throws {TmuxFault} */
export async function listPanes(tmux: TmuxAsker, which: readonly string[]): Promise<readonly ListedPane[]> {
  const lines = await tmux.ask(['list-panes', ...which, '-F', listingFormat]);
  return lines.flatMap((text) => readListedPane(text) ?? []);
}

// The agent's pane in a session is the one with the recorded id, which counts on the tmux server that gave it. People open,
// close, move and split windows beside it, and renumber them; programs in their panes are never touched.

/**
 * @property known false if nothing identifies the pane: the record is of an earlier release, or of another session than this one.
 */
type OwnPane = { known: true; pane: ListedPane | null } | { known: false; panes: readonly ListedPane[] };

/** Pure. @param panes those of the agent's session. @param recorded null for a manifest that does not name the pane. */
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
 * Finds the pane in which the agent's programs are started and ended. If nothing identifies it, it is the pane with the agent's
 * tool, else the first pane in a session without a record, which an earlier release made.
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
 * Chooses the pane to observe if nothing identifies the agent's pane: the same one as long as it exists, and at first the one
 * with the tool.
 * @param panes the oldest first. @param before the id of the pane that was observed last.
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

/** Decides whether it is the recorded pane, whatever session it is in by now. */
export const isRecorded = (pane: ListedPane, { paneId, server }: RecordedPane): boolean =>
  pane.paneId === paneId && (server === null || isOnServer(pane, server));

const isOnServer = ({ server }: ListedPane, recorded: RecordedPane['server']): boolean =>
  server.pid === recorded?.pid && server.startedAt === recorded.startedAt;

const numberOf = ({ paneId }: ListedPane): number => Number(paneId.slice(1));
