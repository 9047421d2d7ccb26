import type { components } from '../../../generated/managed-agent/types.js';
import { unprefixedName } from '../../launch/agent-name.js';
import type { HostEvent } from '../events/host-cursor.js';
import type { GatewayEvent } from '../events/host-event-feed.js';

export type NotificationMessage = components['schemas']['NotificationMessage'];
type Question = components['schemas']['NotificationQuestion'];

/** How a message names things. */
export interface MessageWords {
  readonly notificationId: string;
  /** The address of the server, for the links of a message. */
  readonly baseUrl: string;
  /** The present time, ISO 8601. */
  readonly nowUtc: string;
}

/** Pure: the message about an event, or about a gap before the events of an agent. */
export function messageOf(
  { event, gap, agent_name, tracked_agent_id }: HostEvent<GatewayEvent>,
  { notificationId, baseUrl, nowUtc }: MessageWords,
): NotificationMessage {
  const name = agent_name === null ? null : unprefixedName(agent_name);
  const spoken = name ?? tracked_agent_id;
  return {
    type: event === null ? 'gap' : event.kind,
    timestamp: event === null ? nowUtc : event.at_utc,
    data: {
      notification_id: notificationId,
      title: event === null ? gap : titleOf(event, spoken),
      tracked_agent_id,
      agent_name: name,
      event,
      question: event === null ? null : questionOf(event, spoken, tracked_agent_id, baseUrl),
      missed: 0,
    },
  };
}

export const testMessage = ({ notificationId, nowUtc }: MessageWords): NotificationMessage => ({
  type: 'test',
  timestamp: nowUtc,
  data: {
    notification_id: notificationId,
    title: 'This is a test of a Houmao notification',
    tracked_agent_id: null,
    agent_name: null,
    event: null,
    question: null,
    missed: 0,
  },
});

function titleOf(event: GatewayEvent, name: string): string {
  switch (event.kind) {
    case 'dialog_shown':
      return `${name} waits for a person`;
    case 'turn_ended':
      return `A turn of ${name} ended: ${event.data.outcome}`;
    default:
      return `${name}: ${event.kind}`;
  }
}

function questionOf(event: GatewayEvent, name: string, id: string, baseUrl: string): Question | null {
  if (event.kind !== 'dialog_shown') return null;
  return {
    text: event.data.text,
    choices: event.data.choices,
    answer_url: `${baseUrl}/houmao/agents/${encodeURIComponent(id)}/gateway/tui/dialog`,
    page_url: `${baseUrl}/docs#/gateway-tui/answerGatewayDialog`,
    command: `houmao-mgr agents answer ${name}`,
  };
}
