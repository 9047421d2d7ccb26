import { isGatewayError, type Schemas } from '@houmao/sdk';
import { isHoumaoError } from '@houmao/sdk/managed-agent';
import type { Clock } from '../../foundation/clock.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import type { QueueCalls } from './gateway-by.js';

/** What a follower of events is told. */
export type Happening =
  | { readonly is: 'event'; readonly event: Schemas['GatewayEvent'] }
  /** The record began anew: what happened in between is not known. */
  | { readonly is: 'gap'; readonly detail: string }
  /** Nobody answers; said once in each silence. */
  | { readonly is: 'silence'; readonly detail: string };

export interface EventWish {
  /** Only events behind this one. */
  readonly after: number;
  /** Goes on for ever; else until there are no more. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

type Source = Pick<QueueCalls, 'listEvents'>;

const pageLength = 200;
const waitSeconds = 30;
const afterSilenceMs = 500;
const nobodyNow: ReadonlySet<number | null> = new Set([null, 502, 503, 504]);

/**
 * Events in their order, each once, over restarts of the gateway, which may come back at another address.
 *
 * @param connect looks for the gateway, at first and after each silence
 */
export async function* eventStream(
  connect: () => Promise<Source>,
  { after, follow, signal, clock }: EventWish,
): AsyncGenerator<Happening, void> {
  let source = await connect();
  let [last, isFirst, isSilent, hasAll] = [after, true, false, false];
  while (!signal.aborted) {
    try {
      const wait_seconds = follow && hasAll ? waitSeconds : 0;
      const query = { after: last, limit: pageLength, wait_seconds };
      const { events, next_after } = await source.listEvents({ query, signal });
      for (const event of events) yield { is: 'event', event };
      [last, isFirst, isSilent, hasAll] = [next_after, false, false, events.length < pageLength];
      if (hasAll && !follow) return;
    } catch (error) {
      if (signal.aborted) return;
      const refusal = isGatewayError(error) || isHoumaoError(error) ? error : null;
      if (refusal?.status === 410 && !isFirst) {
        yield { is: 'gap', detail: refusal.detail };
        last = 0;
        continue;
      }
      if (!follow || !refusal || !nobodyNow.has(refusal.status)) throw error;
      if (!isSilent) yield { is: 'silence', detail: refusal.detail };
      isSilent = true;
      await clock.sleep(afterSilenceMs, signal);
      source = (await again(connect)) ?? source;
    }
  }
}

/** Null while nobody serves. @throws {CommandFailure} when the agent itself is gone. */
async function again(connect: () => Promise<Source>): Promise<Source | null> {
  try {
    return await connect();
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === exitCodes.unreachable) return null;
    throw error;
  }
}
