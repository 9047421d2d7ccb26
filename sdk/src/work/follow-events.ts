import type { CallLimits } from '../core/operation.js';
import { awaitNext } from './await-end.js';
import type { Silence } from './silence.js';
import { WorkError } from './work-error.js';

/** The fields that every event has, including events of kinds that this version does not know. */
export interface AnyEvent {
  readonly seq: number;
  readonly kind: string;
}

/**
 * Reports that events are missing: those after `after` in the earlier record of events, to which this number belongs. That
 * record is gone, because the queue was moved aside or replaced by an older copy. The next events start with the first one
 * there is.
 */
export interface EventGap {
  readonly kind: 'gap';
  /** The last event that the lost record is known to have had. */
  readonly after: number;
  /** The server's sentence about it. */
  readonly detail: string;
}

/** The events to follow, and the callback for the position. */
export interface EventsOptions<Kind extends string> {
  /** The first event is the one after this `seq`. Default: 0, for the oldest event. */
  after?: number | undefined;
  /** Only these kinds, and gaps. Default: all, including those that this version does not know. */
  kinds?: readonly Kind[] | undefined;
  /** Ends the stream: the loop ends without an error. */
  signal?: AbortSignal | undefined;
  /**
   * The milliseconds without any answer after which the stream ends with `connection_failed`. Each answer starts the time
   * again. Default: no limit, since a gateway that is away may come back, with its events.
   */
  silenceMs?: number | undefined;
  /**
   * Called with the position up to which all events were delivered, including events of other kinds: keep `after` to continue
   * from there in another program. During a silence it is called with the same position and the `silence`, which is null
   * otherwise.
   */
  onUpdate?: ((position: { readonly after: number }, silence: Silence | null) => void) | undefined;
}

/** The type of `events` of a gateway; `GatewayWork` describes it. */
export type Events<Event extends AnyEvent> = <Kind extends Event['kind'] = Event['kind']>(
  options?: EventsOptions<Kind>,
) => AsyncGenerator<Extract<Event, { kind: Kind }> | EventGap, void, undefined>;

interface EventPage {
  readonly events: readonly AnyEvent[];
  readonly next_after: number;
}

/** The source of events: `listEvents` of a gateway, called directly or through the server. */
export interface EventSource {
  readonly server: 'gateway' | 'server';
  readonly list: (
    options: { query: { after: number; limit: number; wait_seconds: number } } & CallLimits,
  ) => Promise<EventPage>;
}

/** The most events of a page, so that missed events come in few pages. */
const limit = 200;

export async function* followEvents(
  source: EventSource,
  options: EventsOptions<string> = {},
): AsyncGenerator<AnyEvent | EventGap, void, undefined> {
  const { kinds, silenceMs, onUpdate, signal = new AbortController().signal } = options;
  const wanted = kinds && new Set(kinds);
  let after = options.after ?? 0;
  while (!signal.aborted) {
    const page = await nextPage(source, after, { signal, silenceMs, onUpdate });
    if (page === null) return;
    if ('gap' in page) {
      yield { kind: 'gap', after, detail: page.gap };
      after = 0;
      continue;
    }
    for (const event of page.events) {
      if (!wanted || wanted.has(event.kind)) yield event;
      if (signal.aborted) return;
    }
    after = page.next_after;
    onUpdate?.({ after }, null);
  }
}

type Page = EventPage | { readonly gap: string };

/** Returns the next page with events; null when the signal fired first. */
async function nextPage(
  { server, list }: EventSource,
  after: number,
  {
    signal,
    silenceMs,
    onUpdate,
  }: Pick<EventsOptions<string>, 'silenceMs' | 'onUpdate'> & {
    signal: AbortSignal;
  },
): Promise<Page | null> {
  const work = {
    server,
    isFollowed: false,
    look: (waitSeconds: number, stop: AbortSignal): Promise<Page> =>
      list({ query: { after, limit, wait_seconds: waitSeconds }, signal: stop, maxRetries: 0 }).catch(
        (error: unknown) => ({ gap: gapIn(error, after) }),
      ),
    seen: (page: Page) => {
      if ('gap' in page || page.events.length > 0) return true;
      onUpdate?.({ after }, null);
      return false;
    },
    silent: (silence: Silence) => onUpdate?.({ after }, silence),
    becomes: () => `Go on with after=${after}.`,
  } as const;
  return awaitNext(work, { silenceMs, signal });
}

/** Returns the server's sentence about a record that started again; any other failure is rethrown. */
function gapIn(error: unknown, after: number): string {
  if (error instanceof WorkError && error.status === 410 && after > 0) return error.detail;
  throw error;
}
