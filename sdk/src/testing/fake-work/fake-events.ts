import type { Schemas } from '../../gateway/contract.js';
import type { AnyAnswer } from '../fake-answer.js';
import type { EventDraft } from './event-drafts.js';
import { within } from './within.js';

type Event = Schemas['GatewayEvent'];
/** The events of a fake, in the order of a gateway. */
export class FakeEvents {
  readonly #events: Event[] = [];
  #next = nextEvent();

  add(...drafts: EventDraft[]): void {
    for (const each of drafts) this.#events.push({ seq: this.#events.length + 1, ...each } as Event);
    this.#next.come();
    this.#next = nextEvent();
  }

  /** Returns the page after an event; if there is none yet, waits for the next event for up to `wait_seconds`. */
  async after(query: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<AnyAnswer> {
    const after = Number(query.after ?? 0);
    const last = this.#events.length;
    if (after > last) {
      const detail = `There is no event ${after}: the last one is ${last}.`;
      return { status: 410, body: { detail } };
    }
    if (after === last) await within(Number(query.wait_seconds ?? 0) * 1000, this.#next.came, signal);
    const events = this.#events.slice(after, after + Number(query.limit ?? 50));
    return { body: { schema_version: 1, events, next_after: after + events.length } };
  }
}

function nextEvent() {
  let come: () => void = () => undefined;
  const came = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { come, came };
}
