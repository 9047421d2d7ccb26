import type { components } from '../../../generated/gateway/types.js';

export type ReminderDefinition = components['schemas']['ReminderDefinition'];

/** What is delivered. */
export type ReminderDelivery =
  | { kind: 'prompt'; prompt: string }
  | { kind: 'send_keys'; sequence: string; ensureEnter: boolean };

/** A live reminder (gateway §4.1). Moments are whole milliseconds since 1970. It is never changed, only replaced. */
export interface Reminder {
  readonly id: string;
  readonly mode: 'one_off' | 'repeat';
  readonly title: string;
  readonly delivery: ReminderDelivery;
  /** Precedence: the smallest one wins. */
  readonly ranking: number;
  readonly paused: boolean;
  readonly createdAt: number;
  /** The first moment of its cadence; an update sets it anew. */
  readonly anchor: number;
  readonly dueAt: number;
  /** Null exactly for `one_off`. */
  readonly intervalSeconds: number | null;
  readonly lastStartedAt: number | null;
  readonly executing: boolean;
  /** Deleted while it was being delivered: it goes when that ends. */
  readonly deleteRequested: boolean;
}

/** @param now when its time starts to count. */
export const newReminder = (id: string, definition: ReminderDefinition, now: number): Reminder => ({
  id,
  createdAt: now,
  lastStartedAt: null,
  executing: false,
  deleteRequested: false,
  ...defined(definition, now),
});

/** The same reminder under a whole new definition: its id, its age and its last start stay (gateway §4.5). */
export const redefined = (reminder: Reminder, definition: ReminderDefinition, now: number): Reminder => ({
  ...reminder,
  ...defined(definition, now),
});

function defined(definition: ReminderDefinition, now: number) {
  const { send_keys: keys, start_after_seconds: after } = definition;
  const dueAt =
    after == null ? instantOf(definition.deliver_at_utc ?? '') : now + Math.max(1, Math.round(after * 1000));
  return {
    mode: definition.mode,
    title: definition.title,
    delivery: keys
      ? ({ kind: 'send_keys', sequence: keys.sequence, ensureEnter: keys.ensure_enter ?? true } as const)
      : ({ kind: 'prompt', prompt: definition.prompt ?? '' } as const),
    ranking: definition.ranking,
    paused: definition.paused ?? false,
    anchor: dueAt,
    dueAt,
    intervalSeconds: definition.interval_seconds ?? null,
  };
}

/** @param text of the contract's format `iso-instant`: an ISO 8601 date, or date and time; without an offset it is UTC. */
export function instantOf(text: string): number {
  if (text.length === 10) return Date.parse(text);
  const written = text.replace(/^(.{10})[Tt ]/, '$1T').replace(/z$/, 'Z');
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(written) ? written : `${written}Z`);
}
