import { existsSync } from 'node:fs';
import { GatewayError } from '@houmao/sdk';
import { rowSchemas } from '../../dispatch/queue/queue-tables.js';
import { encodeCursor, RequestRecords } from '../../dispatch/queue/request-records.js';
import { RequestTable } from '../../dispatch/queue/request-table.js';
import { eventStoreSchemas } from '../../events/event-store.js';
import { EventTable, noSuchEvent, pageAfter } from '../../events/event-table.js';
import { readEvent } from '../../events/read-event.js';
import type { Clock } from '../../foundation/clock.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { isHanging } from '../../launch/live-gateway.js';
import { isCallError } from '../../protocols/agent-work.js';
import { queueStore, type SessionPaths, sessionPaths } from '../../session/session-paths.js';
import { readCopy } from '../../storage/read-copy.js';
import type { Store } from '../../storage/store.js';
import { TurnTable } from '../../turn/turn-table.js';
import { usagePeriod } from '../../turn/usage-days.js';
import { type ServerFlag, serverFlagWords } from '../flags/options.js';
import { answerWords, callExitCode, callFields } from '../words/call-failure.js';
import { CommandFailure, exitCodes, type Remedy } from '../words/command-failure.js';
import type { Output } from '../words/terminal-output.js';
import { findAgent, lookForGateway, seenGateway, stoppedAgent, stoppedWords } from './find-agent.js';
import { type QueueCalls, queueWith } from './way-to.js';

/**
 * Sends questions to the gateway of an agent. When none runs, or the agent was stopped, its queue file on this machine is read
 * instead. People are shown which of the two answered; programs get the same shape from both.
 * @param requestId the request that is asked for; empty for none
 * @throws {CommandFailure} @throws {UnusableFile}
 */
export async function askQueue(
  name: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
  ask: (calls: QueueCalls) => Promise<void>,
  requestId = '',
): Promise<void> {
  if (flags.server !== undefined) return ask(await queueWith(requestId, name, flags, host));
  const left = (paths: SessionPaths, whose: string, whyItWaits: string): Promise<void> => {
    output.progress(`${whose}; this is how its queue was last written: ${paths.queue}`);
    const schemas = [...eventStoreSchemas, ...rowSchemas];
    return readCopy(queueStore(paths), schemas, (store) =>
      ask(callsOf(store, name, paths, whyItWaits, host.clock)),
    );
  };
  const stopped = stoppedAgent(name, host);
  if (stopped !== null && existsSync(sessionPaths(stopped.root).queue))
    return left(sessionPaths(stopped.root), stoppedWords(name, stopped, host), 'The agent was stopped.');
  const agent = findAgent(name, host);
  const sight = await lookForGateway(agent, host);
  const { paths } = agent;
  const isGone = sight.state === 'absent' || (sight.state === 'silent' && !isHanging(sight, paths));
  if (!isGone || !existsSync(paths.queue)) return ask(seenGateway(name, agent, sight));
  const whose = `No gateway answers for ${unprefixedName(agent.name)}`;
  return left(paths, whose, 'No gateway answers that would start it.');
}

/**
 * Answers the calls from the queue file. @param name the agent, as the operator named it. @param whyItWaits the reason why a
 * request that has not begun still waits
 */
function callsOf(
  store: Store,
  name: string,
  paths: SessionPaths,
  whyItWaits: string,
  clock: Clock,
): QueueCalls {
  const rows = new RequestTable(store);
  const turns = new TurnTable(store);
  const records = new RequestRecords({
    read: (work) => store.readAtOnce(work),
    rows,
    turns,
    paths,
    depth: () => rows.countActive(),
    // This reason holds as long as there is no gateway; others may follow when there is one.
    waitingReason: () => ({ code: 'unavailable', detail: whyItWaits }),
  });
  const events = new EventTable(store);
  return {
    listRequests: async ({ query = {} } = {}) => {
      const page = records.list(query, Number.MAX_SAFE_INTEGER, query.limit ?? 50);
      return { schema_version: 1, requests: page.records, next_cursor: encodeCursor(page.next) };
    },
    getRequest: async ({ path: { request_id } }) => {
      const record = records.find(request_id);
      if (record) return record;
      throw new CommandFailure(`There is no request ${request_id} in ${paths.queue}.`, exitCodes.notFound, {
        errorCode: 'unknown_request',
        requestId: request_id,
        remedies: [listThem(name)],
      });
    },
    listEvents: async ({ query = {} } = {}) => {
      const { after = 0, limit = 50 } = query;
      const page = pageAfter(events, after, limit);
      if ('last' in page)
        throw new GatewayError({
          status: 410,
          errorCode: 'no_such_event',
          operationId: 'listEvents',
          detail: noSuchEvent(after, page.last),
        });
      return {
        schema_version: 1,
        events: page.events.map(readEvent),
        next_after: page.events.at(-1)?.seq ?? after,
      };
    },
    getUsage: async ({ query = {} } = {}) => {
      const period = usagePeriod(query, clock.now());
      if ('detail' in period) throw new RangeError(period.detail.map(({ msg }) => msg).join());
      return { schema_version: 1, ...period, days: turns.usageDays.between(period) };
    },
  };
}

/** Suggests the list after an unknown request id. @param server the flag that leads to the same server, with a blank before it */
const listThem = (name: string, server = ''): Remedy => [
  'list them',
  `houmao-mgr agents requests list ${name}${server}`,
];

/** Explains a failed call with the commands that help; when no answer came, the outcome is unknown. */
export async function explained<T>(
  call: Promise<T>,
  name: string,
  id: string,
  flags: ServerFlag,
  runningTurn: () => Promise<string | null> = async () => null,
): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isCallError(error)) throw error;
    const server = serverFlagWords(flags);
    const fields = { ...callFields(error), requestId: id };
    const exitCode = callExitCode(error);
    if (error.status === null || exitCode === exitCodes.outcomeUnknown) {
      const again: Remedy = ['look again', `houmao-mgr agents requests show ${name} ${id}${server}`];
      const sentence = `${error.detail} The state of ${id} is not known.`;
      throw new CommandFailure(sentence, exitCodes.outcomeUnknown, { ...fields, remedies: [again] });
    }
    const turn = error.status === 409 ? await runningTurn() : null;
    const stop: Remedy = ['stop it', `houmao-mgr agents interrupt ${name} --turn ${turn}${server}`];
    if (turn !== null)
      throw new CommandFailure(`${id} is no longer waiting: its turn ${turn} is running.`, exitCode, {
        ...fields,
        turnId: turn,
        remedies: [stop],
      });
    const remedies = error.status === 404 ? [listThem(name, server)] : [];
    throw new CommandFailure(answerWords(error, 'The gateway refused'), exitCode, { ...fields, remedies });
  }
}
