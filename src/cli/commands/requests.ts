import { type GatewayClient, isGatewayError, type Schemas } from '@houmao/sdk';
import { isHoumaoError } from '@houmao/sdk/managed-agent';
import type { AgentHost } from '../../launch/agent-host.js';
import { type ServerFlag, serverFlagWords } from '../flags/server-flag.js';
import { callExitCode, callFields } from '../words/call-failure.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { announce, interruptWords, requestLines, requestTable } from '../words/request-words.js';
import type { Output } from '../words/terminal-output.js';
import { waitFailure } from '../words/waiting-failure.js';
import { requireAtServer } from './at-server/agent-at-server.js';
import { gatewayOf } from './find-agent.js';
import { interruptible } from './interruptible.js';

type RequestRecord = Schemas['RequestRecord'];

export interface ListFlags extends ServerFlag {
  state?: RequestRecord['state'];
  limit: number;
}

export interface WaitFlags {
  /** Seconds. */
  silenceLimit: number;
}

export const requestStates = [
  'accepted',
  'running',
  'completed',
  'failed',
  'coalesced',
  'cancelled',
] as const;

/** The queue of an agent: at its gateway, or asked for through the server that was named. @throws {CommandFailure} */
const queueOf = async (
  name: string,
  flags: ServerFlag,
  host: AgentHost,
): Promise<Pick<GatewayClient, 'listRequests' | 'getRequest' | 'cancelRequest'>> =>
  flags.server === undefined
    ? gatewayOf(name, host)
    : (await requireAtServer(name, flags, host)).agent.gateway;

/** `agents requests list`. */
export async function listRequests(
  name: string,
  flags: ListFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const client = await queueOf(name, flags, host);
  const { state, limit } = flags;
  const page = await client.listRequests({ query: { limit, ...(state === undefined ? {} : { state }) } });
  const none = state === undefined ? 'There are no requests.' : `There are no ${state} requests.`;
  output.result(page, page.requests.length === 0 ? [none] : requestTable(page.requests));
  if (page.next_cursor !== null) output.progress('There are older ones: --limit shows up to 200.');
}

/** `agents requests show`. */
export async function getRequest(
  name: string,
  id: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const client = await queueOf(name, flags, host);
  const record = await explained(client.getRequest({ path: { request_id: id } }), name, id, flags);
  output.result(record, requestLines(record));
}

/** `agents requests wait`: goes on where `agents prompt` was left. */
export async function waitForRequest(
  name: string,
  id: string,
  flags: WaitFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const client = await gatewayOf(name, host);
  await interruptible(async (signal) => {
    // Asked first without waiting: a wrong id is no silence.
    let record = await explained(client.getRequest({ path: { request_id: id } }), name, id, {});
    announce(null, record, output);
    const onUpdate = (update: RequestRecord) => {
      announce(record, update, output);
      record = update;
    };
    try {
      const silenceMs = flags.silenceLimit * 1000;
      const answer = await client.request(id).answer({ signal, silenceMs, onUpdate });
      const lines = record.request_kind === 'interrupt' ? [interruptWords(record)] : [answer];
      output.result({ answer, request: record }, lines);
    } catch (error) {
      throw isGatewayError(error) ? waitFailure(error, id, name) : error;
    }
  });
}

/** `agents requests cancel`. */
export async function cancelRequest(
  name: string,
  id: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const client = await queueOf(name, flags, host);
  const path = { request_id: id };
  // One that has ended is not what runs now: an interrupt would stop something else.
  const runs = () =>
    client.getRequest({ path }).then(
      ({ state }) => state === 'running',
      () => false,
    );
  const record = await explained(client.cancelRequest({ path }), name, id, flags, runs);
  output.result(record, [`Cancelled ${record.request_id}; it will not run.`]);
}

/** Refusals in words that lead on; where no answer came, nobody knows whether it was done. */
async function explained<T>(
  call: Promise<T>,
  name: string,
  id: string,
  flags: ServerFlag,
  runs: () => Promise<boolean> = async () => false,
): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isGatewayError(error) && !isHoumaoError(error)) throw error;
    const server = serverFlagWords(flags);
    const fields = { ...callFields(error), requestId: id };
    if (error.status === null) {
      const hint = `Look again: houmao-mgr agents requests show ${name} ${id}${server}`;
      const sentence = `${error.detail} How ${id} stands is not known.`;
      throw new CommandFailure(sentence, exitCodes.notKnown, { ...fields, hint });
    }
    const hints = {
      list: `What there is: houmao-mgr agents requests list ${name}${server}`,
      stop: `To stop what runs: houmao-mgr agents interrupt ${name}${server}`,
    };
    const hint =
      error.status === 404 ? hints.list : error.status === 409 && (await runs()) ? hints.stop : null;
    throw new CommandFailure(`The gateway refused: ${error.detail}`, callExitCode(error), {
      ...fields,
      hint,
    });
  }
}
