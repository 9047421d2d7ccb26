import type { RecordedPane } from '../session/manifest-facts.js';
import type { ListedPane } from './pane-listing.js';

// Which pane of a session is the agent's: by the id that is recorded, which counts on the tmux server that gave it. People open,
// close, move and split windows beside it, and renumber them; what runs in their panes is never touched.

/** @property known false where nothing says it: the record is of an earlier release, or of another session than this one. */
export type OwnPane =
  | { known: true; pane: ListedPane | null }
  | { known: false; panes: readonly ListedPane[] };

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
