import type { components } from '../../../generated/managed-agent/types.js';
import { unprefixedName } from '../../launch/agent-name.js';
import type { HostEvent } from '../events/host-cursor.js';
import type { GatewayEvent } from '../events/host-event-feed.js';

export type NotificationTarget = components['schemas']['NotificationTarget'];

/** The events of which agents go where. */
export interface NotificationDefinition {
  readonly target: NotificationTarget;
  readonly description: string | null;
  /** Kinds of events; null for {@link usualKinds}. */
  readonly events: readonly string[] | null;
  /** Names or ids of agents; null for all. */
  readonly agents: readonly string[] | null;
  readonly enabled: boolean;
}

/** A stored notification with its state. All times are milliseconds since 1970. */
export interface StoredNotification extends NotificationDefinition {
  readonly id: string;
  /** The secret of a webhook; null for other targets. */
  readonly secret: string | null;
  /** The secret before it, and until when it signs too. */
  readonly previous: { readonly secret: string; readonly until: number } | null;
  readonly createdAt: number;
  /** Only events from then on count. */
  readonly since: number;
  readonly disabledReason: string | null;
  readonly failingSince: number | null;
  readonly lastDeliveredAt: number | null;
  readonly lastFailure: Attempt | null;
  /** The number of messages that were given up because too many waited. */
  readonly missed: number;
}

/** The outcome of one attempt to send a message. */
export type AttemptCode =
  | 'delivered'
  | 'http_status'
  | 'redirected'
  | 'gone'
  | 'timeout'
  | 'unreachable'
  | 'private_address'
  | 'no_program'
  | 'program_failed'
  | 'disabled';

export interface Attempt {
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
  readonly code: AttemptCode;
  /** The status of the answer, or the exit code of the program. */
  readonly status: number | null;
  readonly detail: string;
  /** The pause that the receiver asked for. */
  readonly retryAfterSeconds: number | null;
}

/** The kinds of a notification that names none: an agent waits for a person, a turn is over. */
export const usualKinds: readonly string[] = ['dialog_shown', 'turn_ended'];

type Item = HostEvent<Pick<GatewayEvent, 'kind' | 'at_utc'>>;

/**
 * Pure: decides whether an event is for a notification. A gap is for everyone who asked for that agent, since the missing events are
 * not known. Times of events are whole seconds.
 */
export function isWanted(
  { events, agents, since }: Pick<StoredNotification, 'events' | 'agents' | 'since'>,
  { event, agent_name, tracked_agent_id }: Item,
): boolean {
  const names = [tracked_agent_id, ...(agent_name === null ? [] : [agent_name, unprefixedName(agent_name)])];
  if (agents !== null && !agents.some((agent) => names.includes(agent.trim()))) return false;
  if (event === null) return true;
  return (
    (events ?? usualKinds).includes(event.kind) && Date.parse(event.at_utc) >= Math.floor(since / 1000) * 1000
  );
}
