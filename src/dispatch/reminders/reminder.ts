/** A reminder as a caller defines it, before it has an id, an age and a state. */
export interface ReminderDefinition {
  readonly title: string;
  readonly delivery: ReminderDelivery;
  readonly ranking: number;
  readonly paused: boolean;
  /** The time at which it is first due: seconds after it is made, or milliseconds since 1970. */
  readonly due: { readonly afterSeconds: number } | { readonly at: number };
  /** Null for a reminder that fires once. */
  readonly intervalSeconds: number | null;
}

/** The content that a reminder delivers. */
export type ReminderDelivery =
  | { kind: 'prompt'; prompt: string }
  | { kind: 'send_keys'; sequence: string; ensureEnter: boolean };

/** A live reminder. Moments are whole milliseconds since 1970. It is never changed, only replaced. */
export interface Reminder {
  readonly id: string;
  readonly mode: 'one_off' | 'repeat';
  readonly title: string;
  readonly delivery: ReminderDelivery;
  /** Precedence: the smallest one wins. */
  readonly ranking: number;
  readonly paused: boolean;
  readonly createdAt: number;
  /** The first moment of its cadence; an update sets it again. */
  readonly anchor: number;
  readonly dueAt: number;
  /** Null if and only if the mode is `one_off`. */
  readonly intervalSeconds: number | null;
  readonly lastStartedAt: number | null;
  readonly executing: boolean;
  /** The turn that delivers it; null for keys, and while it is not delivered. */
  readonly turnId: string | null;
  /** Whether it is in the database, and outlives the gateway (docs/decisions.md#kept-reminders). */
  readonly kept: boolean;
  /** Deleted while it was being delivered: it leaves the set when the delivery ends. */
  readonly deleteRequested: boolean;
}

/** @param now the moment from which its time counts. */
export const newReminder = (
  id: string,
  definition: ReminderDefinition,
  now: number,
  kept = false,
): Reminder => ({
  id,
  kept,
  turnId: null,
  createdAt: now,
  lastStartedAt: null,
  executing: false,
  deleteRequested: false,
  ...defined(definition, now),
});

/**
 * Returns the reminder with a whole new definition; its id, its age and its last start stay
 * (docs/decisions.md#changing-reminders).
 */
export const redefined = (
  reminder: Reminder,
  definition: ReminderDefinition,
  now: number,
  kept = reminder.kept,
): Reminder => ({
  ...reminder,
  kept,
  ...defined(definition, now),
});

function defined(
  { due, intervalSeconds, title, delivery, ranking, paused }: ReminderDefinition,
  now: number,
) {
  const dueAt = 'at' in due ? due.at : now + Math.max(1, Math.round(due.afterSeconds * 1000));
  const mode = intervalSeconds === null ? ('one_off' as const) : ('repeat' as const);
  return { mode, title, delivery, ranking, paused, anchor: dueAt, dueAt, intervalSeconds };
}
