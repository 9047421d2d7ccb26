import { isGatewayError, type Schemas } from '@houmao/sdk';
import { isHoumaoError } from '@houmao/sdk/managed-agent';
import type { AgentHost } from '../../launch/agent-host.js';
import { type ServerFlag, serverFlagWords } from '../flags/server-flag.js';
import { callFailure } from '../words/call-failure.js';
import { exitCodes } from '../words/command-failure.js';
import { eventLine, eventPaints, isOfKinds } from '../words/event-words.js';
import type { Remedy } from '../words/remedies.js';
import type { Output } from '../words/terminal-output.js';
import { withWays } from '../words/waiting-failure.js';
import { eventStream } from './event-stream.js';
import { gatewayBy, type QueueCalls } from './gateway-by.js';
import { interruptible } from './interruptible.js';
import { askQueue } from './stored-queue.js';

export interface EventFlags extends ServerFlag {
  follow?: boolean;
  /** Number of an event. */
  after: number;
  /** None means all. */
  kind: string[];
}

/** `agents events`: what happened, and with `--follow` what happens, over restarts of the gateway. */
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
    let last = flags.after;
    try {
      for await (const happening of eventStream(connect, {
        ...{ after: flags.after, follow, signal, clock: host.clock },
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
      if (!isGatewayError(error) && !isHoumaoError(error)) throw error;
      // The gateway speaks of its query.
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
