import type { CallLimits } from '../core/operation.js';
import { awaitNext } from '../work/await-end.js';
import type { Silence } from '../work/silence.js';
import type { Schemas } from './contract.js';

/** The overview to begin behind, and the limits of the stream. */
export interface OverviewOptions {
  /** The first item is the one that differs from the overview with this `version`. Default: the present one comes at once. */
  after?: string | undefined;
  /** Ends the stream: the loop ends without an error. */
  signal?: AbortSignal | undefined;
  /**
   * The milliseconds without any answer after which the stream ends with `connection_failed`. Each answer starts the time
   * again. Default: no limit, since a server that is away may come back.
   */
  silenceMs?: number | undefined;
  /** Called during a silence, every two seconds or less often. */
  onSilence?: ((silence: Silence) => void) | undefined;
}

/**
 * Streams all agents of the host at a glance: as they are now, and again after each change, across lost connections and restarts of
 * the server. Changes that come while an item is handled are in the next one.
 *
 * @example
 * ```ts
 * for await (const { agents } of client.overview({ signal })) {
 *   for (const { agent_name, question } of agents) if (question !== null) console.log(`${agent_name}: ${question}`);
 * }
 * ```
 */
export type Overviews = (
  options?: OverviewOptions,
) => AsyncGenerator<Schemas['HostOverview'], void, undefined>;

type GetHostOverview = (
  options: { query: { after?: string; wait_seconds: number } } & CallLimits,
) => Promise<Schemas['HostOverview']>;

export async function* followOverview(
  get: GetHostOverview,
  options: OverviewOptions = {},
): AsyncGenerator<Schemas['HostOverview'], void, undefined> {
  const { silenceMs, onSilence, signal = new AbortController().signal } = options;
  let { after } = options;
  const work = {
    server: 'server',
    isFollowed: false,
    look: (waitSeconds: number, stop: AbortSignal) =>
      get({
        query: { ...(after !== undefined && { after }), wait_seconds: waitSeconds },
        signal: stop,
        maxRetries: 0,
      }),
    seen: ({ version }: Schemas['HostOverview']) => version !== after,
    silent: (silence: Silence) => onSilence?.(silence),
    becomes: () => 'Follow again.',
  } as const;
  while (!signal.aborted) {
    const overview = await awaitNext<Schemas['HostOverview']>(work, { silenceMs, signal });
    if (overview === null) return;
    after = overview.version;
    yield overview;
  }
}
