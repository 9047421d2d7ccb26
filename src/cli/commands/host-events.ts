import type { HoumaoClient } from '@houmao/sdk/managed-agent';
import type { AgentHost } from '../../launch/agent-host.js';
import { isCallError, shownName } from '../../protocols/agent-work.js';
import { serverFlagWords } from '../flags/options.js';
import { callFailure } from '../words/call-failure.js';
import { exitCodes } from '../words/command-failure.js';
import { eventLine, eventPaints, isOfKinds } from '../words/event-words.js';
import { interruptible, type Output } from '../words/terminal-output.js';
import { withWays } from '../words/waiting-failure.js';
import type { EventFlags } from './events.js';
import { serverClient } from './server/see-servers.js';

/**
 * `agents events --all`: prints the past events of all agents of a host, or with `--follow` those from now on. One server has them
 * all.
 */
export async function showHostEvents(flags: EventFlags, host: AgentHost, output: Output): Promise<void> {
  const client = await serverClient(
    flags,
    host,
    'The events of all agents come from a managed-agent server, and none runs here.',
  );
  try {
    await (flags.follow ? followAll(client, flags, output) : listAll(client, flags, output));
  } catch (error) {
    throw isCallError(error) ? callFailure(error) : error;
  }
}

type HostEvent = Awaited<ReturnType<HoumaoClient['listHostEvents']>>['events'][number];

/** The name of an agent, and its event. */
const hostEventLine = (item: HostEvent): string =>
  `${shownName(item)}  ${item.event === null ? `A gap: ${item.gap}` : eventLine(item.event)}`;
const isWanted = ({ event }: HostEvent, { kind }: EventFlags): boolean =>
  event === null || isOfKinds(event, kind);

const pageLength = 200;

async function listAll({ listHostEvents }: HoumaoClient, flags: EventFlags, output: Output): Promise<void> {
  const all: HostEvent[] = [];
  let after = '0';
  for (;;) {
    const { events, next_after } = await listHostEvents({ query: { after, limit: pageLength } });
    all.push(...events.filter((item) => isWanted(item, flags)));
    after = next_after;
    if (events.length === 0) break;
  }
  output.result(
    { events: all, next_after: after },
    all.length === 0 ? ['No events.'] : all.map(hostEventLine),
    eventPaints,
  );
}

async function followAll(client: HoumaoClient, flags: EventFlags, output: Output): Promise<void> {
  await interruptible(async (signal) => {
    const onSilence = (): void => output.progress('No answer from the server; still following.');
    for await (const item of client.events({ after: 'latest', signal, onSilence }))
      if (isWanted(item, flags)) output.result(item, [hostEventLine(item)], eventPaints);
    throw withWays(
      'Stopped following.',
      [['go on', `houmao-mgr agents events --all --follow${serverFlagWords(flags)}`]],
      exitCodes.stopped,
    );
  });
}
