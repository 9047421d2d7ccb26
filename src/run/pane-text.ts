import { sanitiseText } from '../foundation/text.js';
import type { HeadlessDisplay } from '../session/manifest-facts.js';
import type { CanonicalEvent, CanonicalKind } from '../tools/adapter/tool-adapter.js';

type Labelled = Exclude<CanonicalKind, 'assistant'>;

const labels: Readonly<Record<Labelled, string>> = {
  session: 'session',
  reasoning: 'reasoning',
  action_request: 'action',
  action_result: 'result',
  progress: 'progress',
  completion: 'complete',
  diagnostic: 'diagnostic',
  passthrough: 'event',
};
/** The events that are shown only with the full detail. */
const details: ReadonlySet<CanonicalKind> = new Set(['session', 'reasoning', 'progress', 'passthrough']);

/** Writes the text of a turn for a person who watches the agent's pane, event by event. */
export class PaneText {
  readonly #display: HeadlessDisplay;
  /** True while an answer that comes in pieces is being written. */
  #withinLine = false;

  constructor(display: HeadlessDisplay) {
    this.#display = display;
  }

  /** @returns the next text to write; empty for an event that is not shown. */
  next(event: CanonicalEvent): string {
    if (this.#display.detail === 'concise' && details.has(event.kind)) return '';
    const piece = this.#display.style !== 'json' && event.kind === 'assistant' && event.data.delta === true;
    const before = this.#withinLine && !piece ? '\n' : '';
    const text = this.#textOf(event);
    const after = piece || text.endsWith('\n') ? '' : '\n';
    this.#withinLine = piece && !text.endsWith('\n');
    return before + text + after;
  }

  #textOf(event: CanonicalEvent): string {
    const { style } = this.#display;
    if (style === 'json') return sanitiseText(JSON.stringify(rowOf(event)));
    const message = sanitiseText(event.message);
    if (event.kind === 'assistant') return message;
    const label = labels[event.kind];
    return style === 'plain' ? `[${label}] ${message}` : `${capitalised(label)}: ${message}`;
  }
}

/** Returns the event as the API describes it, without the row of the tool itself, which is in the files of the turn. */
const rowOf = ({ kind, message, turn_index, timestamp_utc, ...event }: CanonicalEvent) => ({
  kind,
  message,
  turn_index,
  timestamp_utc,
  payload: {
    provider: event.provider,
    session_id: event.session_id,
    data: event.data,
    provider_event_type: event.provider_event_type,
  },
});

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
