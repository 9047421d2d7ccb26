import type { CallLimits } from '../core/operation.js';
import { awaitNext } from '../work/await-end.js';
import type { Silence } from '../work/silence.js';
import type { Schemas } from './contract.js';

/** The events of all hosts of a fleet; `HoumaoClient` describes it. */
export type FleetEvents = (
  options?: HostEventsOptions,
) => AsyncGenerator<Schemas['FleetEvent'], void, undefined>;

/** The events to follow, and the callbacks for the position. */
export interface HostEventsOptions {
  /** The first item is the one behind this `id`; `latest` begins with what happens from now on. Default: the oldest events. */
  after?: string | undefined;
  /** Only events of these kinds, and gaps. Default: all, including those that this version does not know. */
  kinds?: readonly Schemas['GatewayEvent']['kind'][] | undefined;
  /** Ends the stream: the loop ends without an error. */
  signal?: AbortSignal | undefined;
  /**
   * The milliseconds without any answer after which the stream ends with `connection_failed`. Each answer starts the time
   * again. Default: no limit, since a server that is away may come back.
   */
  silenceMs?: number | undefined;
  /** Called with the position up to which all events were delivered: keep `after` to continue from there in another program. */
  onUpdate?: ((position: { readonly after: string }) => void) | undefined;
  /** Called during a silence, every two seconds or less often. */
  onSilence?: ((silence: Silence) => void) | undefined;
}

/** The type of `events` of the server's client; `HoumaoClient` describes it. */
export type HostEvents = (
  options?: HostEventsOptions,
) => AsyncGenerator<Schemas['HostEvent'], void, undefined>;

interface EventPage<Item> {
  readonly events: readonly Item[];
  readonly next_after: string;
}
type ListEvents<Item> = (
  options: { query: { after?: string; limit: number; wait_seconds: number } } & CallLimits,
) => Promise<EventPage<Item>>;

/** The most items of a page, so that missed events come in few pages. */
const limit = 200;

export async function* followHostEvents<Item extends Pick<Schemas['HostEvent'], 'event'>>(
  list: ListEvents<Item>,
  options: HostEventsOptions = {},
): AsyncGenerator<Item, void, undefined> {
  const { kinds, silenceMs, onUpdate, onSilence, signal = new AbortController().signal } = options;
  const wanted = kinds && new Set<string>(kinds);
  let after = options.after;
  const reached = ({ next_after }: EventPage<Item>): void => {
    after = next_after;
    onUpdate?.({ after });
  };
  const work = {
    server: 'server',
    isFollowed: false,
    look: (waitSeconds: number, stop: AbortSignal) =>
      list({
        query: { ...(after !== undefined && { after }), limit, wait_seconds: waitSeconds },
        signal: stop,
        maxRetries: 0,
      }),
    seen: (page: EventPage<Item>) => {
      if (page.events.length > 0) return true;
      // From `latest`, the first answer names the place from which nothing is missed.
      reached(page);
      return false;
    },
    silent: (silence: Silence) => onSilence?.(silence),
    becomes: () => (after === undefined ? 'Follow again.' : `Go on with after=${after}.`),
  } as const;
  while (!signal.aborted) {
    const page = await awaitNext<EventPage<Item>>(work, { silenceMs, signal });
    if (page === null) return;
    for (const item of page.events) {
      if (item.event === null || !wanted || wanted.has(item.event.kind)) yield item;
      if (signal.aborted) return;
    }
    reached(page);
  }
}
