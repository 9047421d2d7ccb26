import { isRefusal } from '../../agent/target/agent-target.js';
import type { DispatchParts } from '../../dispatch/dispatch-parts.js';
import { obstacleFor } from '../../dispatch/readiness.js';
import { newTurnId } from '../../foundation/ids.js';

export type CompactParts = Pick<DispatchParts, 'target' | 'turns' | 'tool' | 'axes' | 'clock'>;

/** For the terminal to take a prompt again after it. */
const readyMilliseconds = 15_000;
const pauseMilliseconds = 200;

const nothing = (): void => undefined;

/**
 * Has the tool compact its conversation, as a turn of its own that everybody can read of.
 * @returns why it did not, for people; null when it is done.
 */
export async function compactConversation(parts: CompactParts): Promise<string | null> {
  const { target, turns, tool } = parts;
  const resolved = target.resolve({ chatSession: null, execution: null }, { override: null, forced: false });
  if (isRefusal(resolved)) return resolved.detail;
  const order = { ...resolved, turnId: newTurnId(), prompt: '/compact', requestId: null, tool } as const;
  const begun = await turns.begin({ ...order, origin: 'notifier' }, { claimed: () => true, ended: nothing });
  if (!begun) return 'The agent has just become busy.';
  const verdict = await begun.over;
  if (verdict === null) return 'The gateway stopped before the conversation was compacted.';
  if (verdict.outcome !== 'completed') return verdict.error?.detail ?? `It ended ${verdict.outcome}.`;
  return untilReady(parts);
}

async function untilReady({ axes, clock }: CompactParts): Promise<string | null> {
  const until = clock.monotonic() + readyMilliseconds;
  for (;;) {
    const obstacle = obstacleFor('notifier', await axes.look());
    if (obstacle === null || clock.monotonic() >= until) return obstacle?.detail ?? null;
    await clock.sleep(pauseMilliseconds);
  }
}
