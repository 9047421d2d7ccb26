import type { Journal } from '../../events/journal.js';
import { type Clock, toSecondStamp } from '../../foundation/clock.js';
import type { TurnCompanion } from '../../turn/live-turn.js';
import type { Verdict } from '../../turn/turn-end.js';
import type { TurnRow, TurnTable } from '../../turn/turn-table.js';
import type { Reminder } from './reminder.js';
import type { ReminderBook } from './reminder-book.js';
import * as events from './reminder-events.js';
import { afterDelivery, findReminder, withoutReminder, withReminder } from './reminder-set.js';

// The end of a reminder's delivery, recorded by the loop that began it, or by a later gateway
// (docs/decisions.md#kept-reminders).

export interface DeliveryParts {
  journal: Journal;
  book: ReminderBook;
  clock: Clock;
}
/** The calls by which a turn reports its progress to its reminder. */
export type RestOfTurn = Required<Pick<TurnCompanion, 'delivered' | 'ended'>>;

/** Ends a delivery, which is not repeated, whether it succeeded or failed. Only inside `Journal.write`. */
export function endDelivery(
  { journal, book, clock }: DeliveryParts,
  atUtc: string,
  id: string,
  error: string | null,
): void {
  const reminder = findReminder(book.set, id);
  // For an agent that stays, the delivery ends before the turn does.
  if (!reminder?.executing) return;
  const now = clock.now();
  const after = afterDelivery(reminder, now.getTime());
  book.replace(after ? withReminder(book.set, after) : withoutReminder(book.set, id));
  journal.event(atUtc, events.finished(reminder, after, toSecondStamp(now), error));
}

/** Returns the reminder's part in the turn that delivers it. */
export const restOfTurn = (parts: DeliveryParts, id: string): RestOfTurn => ({
  delivered: (atUtc) => endDelivery(parts, atUtc, id, null),
  ended: (atUtc, verdict) => endDelivery(parts, atUtc, id, errorOf(verdict)),
});

/** Returns the same for a turn that an earlier gateway began; null when it delivers no kept reminder. */
export function restOfLeftTurn(parts: DeliveryParts, turnId: string): RestOfTurn | null {
  const reminder = parts.book.set.find((one) => one.turnId === turnId);
  return reminder ? restOfTurn(parts, reminder.id) : null;
}

/** Ends, at a start, the deliveries that no process goes on with: those of earlier gateways whose turn does not run. */
export async function endLeftDeliveries(parts: DeliveryParts, turns: TurnTable): Promise<void> {
  const left = parts.book.set.flatMap((reminder) => {
    const error = leftError(reminder, reminder.turnId === null ? null : turns.find(reminder.turnId));
    return reminder.executing && error !== 'runs' ? [{ id: reminder.id, error }] : [];
  });
  if (left.length === 0) return;
  await parts.journal.write((atUtc) => {
    for (const { id, error } of left) endDelivery(parts, atUtc, id, error);
  });
}

const unknownDelivery =
  'The gateway stopped during the delivery. Whether the agent got it is unknown, and it is not repeated.';

/** Returns why a delivery failed, by the record of its turn; null when it did not fail, `runs` when that is not known yet. */
function leftError({ turnId }: Reminder, turn: TurnRow | null): string | null | 'runs' {
  if (turn === null || turnId === null) return unknownDelivery;
  if (turn.state === 'running') return 'runs';
  return turn.outcome === 'completed' ? null : (turn.error_detail ?? turn.outcome ?? unknownDelivery);
}

const errorOf = (verdict: Verdict): string | null =>
  verdict.outcome === 'completed' ? null : (verdict.error?.detail ?? verdict.outcome);
