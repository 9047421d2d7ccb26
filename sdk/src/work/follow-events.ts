import type { CallLimits } from '../core/operation.js';
import { awaitEnd } from './await-end.js';
import type { Silence } from './silence.js';
import { WorkError } from './work-error.js';

/** What every event has, of kinds that this version does not know, too. */
export interface AnyEvent {
  readonly seq: number;
  readonly kind: string;
}

/**
 * Declares that events are missing: those after `after` that followed in the record which it counted in. That record is gone,
 * because the queue was moved aside or an older copy of it was put back. What comes next begins with the first event there is.
 */
export interface EventGap {
  readonly kind: 'gap';
  /** The last event that the gone record is known to have had. */
  readonly after: number;
  /** The server's sentence about it. */
  readonly detail: string;
}

/** Which events to follow, and who is told how it stands. */
export interface EventsOptions<Kind extends string, Failure extends WorkError> {
  /** Begins after the event with this `seq`. Default: 0, which begins with the oldest. */
  after?: number | undefined;
  /** Only these kinds, and gaps. Default: all, those that this version does not know among them. */
  kinds?: readonly Kind[] | undefined;
  /** Ends the following: the loop is left without an error. */
  signal?: AbortSignal | undefined;
  /**
   * Milliseconds without any answer after which the following ends with `connection_failed`. An answer starts them anew.
   * Default: no limit, since a gateway that is away may come back, with its events.
   */
  silenceMs?: number | undefined;
  /**
   * Is told how far everything has been given out, events of other kinds included: keep `after` to go on from there in another
   * program. While nobody answers it is told the same with the `silence`, which is null otherwise.
   */
  onUpdate?: ((position: { readonly after: number }, silence: Silence<Failure> | null) => void) | undefined;
}

/**
 * What happens at a gateway, as it happens, oldest first: nothing is missed and nothing comes twice, over lost connections
 * and restarts of the gateway. An event has the `data` of its `kind`. It goes on until your `signal` fires or you leave the
 * loop.
 *
 * Where events are missing because the gateway's record began anew, that is given out as an item of the kind `gap`. A newer
 * gateway may have kinds that the types do not name: pass over them.
 *
 * Fails with the errors of `listEvents` where it is refused, such as 401.
 *
 * @example
 * ```ts
 * for await (const event of client.events({ kinds: ['turn_ended'], signal })) {
 *   if (event.kind === 'gap') console.warn(event.detail);
 *   else console.log(event.seq, event.data.turn_id, event.data.outcome);
 * }
 * ```
 */
export type Events<Event extends AnyEvent, Failure extends WorkError> = <
  Kind extends Event['kind'] = Event['kind'],
>(
  options?: EventsOptions<Kind, Failure>,
) => AsyncGenerator<Extract<Event, { kind: Kind }> | EventGap, void, undefined>;

interface EventPage {
  readonly events: readonly AnyEvent[];
  readonly next_after: number;
}

/** Where events are read: `listEvents` of a gateway, asked directly or through the server. */
export interface EventSource {
  readonly server: 'gateway' | 'server';
  readonly list: (
    options: { query: { after: number; limit: number; wait_seconds: number } } & CallLimits,
  ) => Promise<EventPage>;
}

/** As many as a page may have: what was missed comes in few of them. */
const limit = 200;

export async function* followEvents(
  source: EventSource,
  options: EventsOptions<string, WorkError> = {},
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

/** The next page that has something; null when the signal fired first. */
async function nextPage(
  { server, list }: EventSource,
  after: number,
  {
    signal,
    silenceMs,
    onUpdate,
  }: Pick<EventsOptions<string, WorkError>, 'silenceMs' | 'onUpdate'> & {
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
  try {
    return await awaitEnd(work, { silentSince: null }, { silenceMs, signal, ids: {} });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** What the server says of a record that began anew; any other failure is thrown on. */
function gapIn(error: unknown, after: number): string {
  if (error instanceof WorkError && error.status === 410 && after > 0) return error.detail;
  throw error;
}
