import { numberOf, textOf } from '../../adapter/json-value.js';
import { rowOf, timeOf } from '../../self-report/row-fields.js';
import type { AgentState } from '../../self-report/self-report.js';

/** What `sessions/<pid>.json` says of one process. */
export interface ClaudeStatus {
  pid: number;
  /** As {@link ProcessIdentity.startedAt} on Linux. */
  startedAt: string;
  conversation: string;
  /** The resolved working directory. */
  cwd: string | null;
  /** Null while it starts, and for a word that is not known. */
  state: AgentState | null;
  waitingFor: string | null;
  /** Since when it has been in this state, in ISO 8601. */
  stateSince: string | null;
}

const states: Readonly<Record<string, AgentState>> = {
  busy: 'busy',
  idle: 'idle',
  waiting: 'waiting',
  // The turn is over; a command of it runs on in the background.
  shell: 'idle',
};

/** Null for a text that is being overwritten just now, and for one of another make. */
export function readClaudeStatus(text: string): ClaudeStatus | null {
  const row = rowOf(text) ?? {};
  const pid = numberOf(row.pid);
  const startedAt = textOf(row.procStart);
  const conversation = textOf(row.sessionId);
  if (pid === null || startedAt === null || conversation === null || !/^[\w-]+$/.test(conversation))
    return null;
  const word = textOf(row.status) ?? '';
  const state = (Object.hasOwn(states, word) ? states[word] : null) ?? null;
  return {
    pid,
    startedAt,
    conversation,
    cwd: textOf(row.cwd),
    state,
    waitingFor: state === 'waiting' ? textOf(row.waitingFor) : null,
    stateSince: timeOf(row.statusUpdatedAt),
  };
}
