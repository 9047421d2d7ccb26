import type { AgentState } from '../../tools/self-report/self-report.js';

/** What the agent said last of its state. */
export interface SaidState {
  state: AgentState;
  waitingFor: string | null;
  evidence: string;
  /** Since when, in milliseconds of a monotonic clock. */
  since: number;
}

/** By then the screen of each tool shows what a hook told of: that of Codex, the latest, after one second. */
export const aheadMilliseconds = 2000;

/**
 * Pure: the state that counts. What a hook says is ahead of everything else and has no end, so it counts for a moment only, and
 * not against what the tool says later, nor against a tool that says that it is idle.
 *
 * @param lasting what the tool said last by a sign that tells of ends too.
 * @param asking what a hook said last.
 */
export function saidAt(lasting: SaidState | null, asking: SaidState | null, now: number): SaidState | null {
  if (asking === null || now - asking.since >= aheadMilliseconds) return lasting;
  if (lasting === null) return asking;
  return lasting.state === 'busy' && lasting.since <= asking.since ? asking : lasting;
}
