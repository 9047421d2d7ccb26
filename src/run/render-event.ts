import { sanitiseText } from '../foundation/sanitise.js';
import type { CanonicalEvent } from '../tools/adapter/canonical-event.js';

const labels = {
  action_request: '[action]',
  action_result: '[result]',
  completion: '[complete]',
  diagnostic: '[diagnostic]',
} as const;

/** What a person who watches the agent's pane sees of an event, in plain lines; null shows nothing. */
export function renderEvent(event: CanonicalEvent): string | null {
  if (event.kind === 'assistant') return sanitiseText(event.message);
  if (!Object.hasOwn(labels, event.kind)) return null;
  return `${labels[event.kind as keyof typeof labels]} ${sanitiseText(event.message)}\n`;
}
