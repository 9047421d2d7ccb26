import type { Schemas } from '@houmao/sdk';
import type { Clock } from '../../foundation/clock.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { isCallError } from '../../protocols/agent-work.js';
import { type ServerFlag, serverFlagWords } from '../flags/options.js';
import { callFailure } from '../words/call-failure.js';
import { CommandFailure, exitCodes, type Remedy } from '../words/command-failure.js';
import { eventLine, eventPaints, isOfKinds } from '../words/event-words.js';
import { interruptible, type Output } from '../words/terminal-output.js';
import { withWays } from '../words/waiting-failure.js';
import { askQueue } from './ask-queue.js';
import { gatewayBy, type QueueCalls } from './way-to.js';

export interface EventFlags extends ServerFlag {
  follow?: boolean;
  /** The number of an event. */
  after?: number;
  /** Kinds of events; none means all. */
  kind: string[];
}

/** `agents events`: prints past events, and with `--follow` the coming ones, across restarts of the gateway. */
export async function showEvents(
  name: string,
  flags: EventFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  if (flags.follow) return printEvents(name, flags, host, output, () => gatewayBy(name, flags, host));
  await askQueue(name, flags, host, output, (calls) =>
    printEvents(name, flags, host, output, async () => calls),
  );
}

async function printEvents(
  name: string,
  flags: EventFlags,
  host: AgentHost,
  output: Output,
  connect: () => Promise<Pick<QueueCalls, 'listEvents'>>,
): Promise<void> {
  const follow = flags.follow ?? false;
  const kinds = flags.kind.map((kind) => ` --kind ${kind}`).join('');
  const way = `houmao-mgr agents events ${name}${kinds}${serverFlagWords(flags)}`;
  await interruptible(async (signal) => {
    const all: Schemas['GatewayEvent'][] = [];
    let last = flags.after ?? 0;
    try {
      for await (const happening of eventStream(connect, {
        after: flags.after ?? 0,
        follow,
        signal,
        clock: host.clock,
      })) {
        if (happening.is === 'silence')
          output.progress(`No answer (${happening.detail.replace(/\.$/, '')}); still following.`);
        if (happening.is === 'gap') {
          last = 0;
          const detail = `A gap: ${happening.detail} The events in between are not known.`;
          output.result({ kind: 'gap', detail }, [detail]);
        }
        if (happening.is !== 'event') continue;
        last = happening.event.seq;
        if (!isOfKinds(happening.event, flags.kind)) continue;
        if (follow) output.result(happening.event, [eventLine(happening.event)], eventPaints);
        else all.push(happening.event);
      }
    } catch (error) {
      if (!isCallError(error)) throw error;
      // The gateway names its query parameter; the flag takes its place.
      const detail = error.detail.replace('after=0', '--after 0');
      throw callFailure(
        error,
        detail,
        error.status === 410 ? [['print all of them', `${way} --after 0`]] : [],
      );
    }
    if (signal.aborted) {
      const again: Remedy[] = [['go on', `${way}${follow ? ' --follow' : ''} --after ${last}`]];
      throw withWays(`Stopped after event ${last}.`, again, exitCodes.stopped);
    }
    const none = flags.kind.length === 0 ? 'No events.' : `No events of ${flags.kind.join(', ')}.`;
    output.result(
      { events: all, next_after: last },
      all.length === 0 ? [none] : all.map((event) => eventLine(event)),
      eventPaints,
    );
  });
}

/** The notifications for a follower of events. */
type Happening =
  | { readonly is: 'event'; readonly event: Schemas['GatewayEvent'] }
  /** The record of events started again, so the events in between are unknown. */
  | { readonly is: 'gap'; readonly detail: string }
  /** No gateway answers; reported once per silence. */
  | { readonly is: 'silence'; readonly detail: string };

interface EventStreamOptions {
  /** Only events after this number. */
  readonly after: number;
  /** Whether to follow forever; otherwise the stream ends with the last event. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

type Source = Pick<QueueCalls, 'listEvents'>;

const pageLength = 200;
const waitSeconds = 30;
const afterSilenceMs = 500;
const unavailableStatuses: ReadonlySet<number | null> = new Set([null, 502, 503, 504]);

/**
 * Yields events in their order, each once, across restarts of the gateway, which may come back at another address.
 *
 * @param connect finds the gateway, at first and after each silence
 */
async function* eventStream(
  connect: () => Promise<Source>,
  { after, follow, signal, clock }: EventStreamOptions,
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
      const refusal = isCallError(error) ? error : null;
      if (refusal?.status === 410 && !isFirst) {
        yield { is: 'gap', detail: refusal.detail };
        last = 0;
        continue;
      }
      if (!follow || !refusal || !unavailableStatuses.has(refusal.status)) throw error;
      if (!isSilent) yield { is: 'silence', detail: refusal.detail };
      isSilent = true;
      await clock.sleep(afterSilenceMs, signal);
      source = (await again(connect)) ?? source;
    }
  }
}

/** Connects again; null while no gateway serves. @throws {CommandFailure} when the agent itself is gone. */
async function again(connect: () => Promise<Source>): Promise<Source | null> {
  try {
    return await connect();
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === exitCodes.unreachable) return null;
    throw error;
  }
}
