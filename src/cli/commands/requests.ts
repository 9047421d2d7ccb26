import type { Schemas } from '@houmao/sdk';
import type { AgentHost } from '../../launch/agent-host.js';
import { type ServerFlag, serverFlagWords } from '../flags/options.js';
import { requestLines, requestTable } from '../words/request-words.js';
import type { Output } from '../words/terminal-output.js';
import { askQueue, explained } from './ask-queue.js';
import { type QueueCalls, queueWith } from './way-to.js';

type RequestRecord = Schemas['RequestRecord'];

export interface RequestListFlags extends ServerFlag {
  state?: RequestRecord['state'];
  outcome?: Schemas['TurnOutcome'];
  /** Labels, each as `key=value`. */
  metadata?: string[];
  limit: number;
}

export const requestStates = [
  'accepted',
  'running',
  'completed',
  'failed',
  'coalesced',
  'cancelled',
] as const;

export const turnOutcomes = ['completed', 'failed', 'interrupted', 'replaced'] as const;

/** `agents requests list`. */
export async function listRequests(
  name: string,
  flags: RequestListFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const { state, outcome, metadata, limit } = flags;
  const filter = { ...(state && { state }), ...(outcome && { outcome }), ...(metadata && { metadata }) };
  await askQueue(name, flags, host, output, async (calls) => {
    const page = await calls.listRequests({ query: { limit, ...filter } });
    const none = noRequests(flags);
    output.result(page, page.requests.length === 0 ? [none] : requestTable(page.requests, output.time));
    if (page.next_cursor !== null) output.progress('There are older ones: --limit shows up to 200.');
  });
}

function noRequests({ state, outcome, metadata }: RequestListFlags): string {
  const turns = outcome === undefined ? '' : ` with a turn that ended as ${outcome}`;
  const labels = metadata === undefined ? '' : ` with ${metadata.join(', ')}`;
  const words = `There are no ${state === undefined ? '' : `${state} `}requests${labels}${turns}.`;
  // `state` is that of the request; a turn may still fail after the agent took the prompt.
  return state === 'failed' && outcome === undefined ? `${words} Turns that failed: --outcome failed` : words;
}

/** `agents requests show`. */
export async function getRequest(
  name: string,
  id: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const show = async (calls: QueueCalls): Promise<void> => {
    const record = await explained(calls.getRequest({ path: { request_id: id } }), name, id, flags);
    output.result(
      record,
      requestLines(record, name, serverFlagWords(flags), output.time).map((line) =>
        line.startsWith('  waiting') ? output.pastable(line) : line,
      ),
    );
  };
  await askQueue(name, flags, host, output, show, id);
}

/** `agents requests cancel`. */
export async function cancelRequest(
  name: string,
  id: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const client = await queueWith(id, name, flags, host);
  const path = { request_id: id };
  // An ended turn is not the one that runs now: an interrupt would stop other work.
  const runningTurn = () =>
    client.getRequest({ path }).then(
      ({ turn }) => (turn?.state === 'running' ? turn.turn_id : null),
      () => null,
    );
  const record = await explained(client.cancelRequest({ path }), name, id, flags, runningTurn);
  output.result(record, [`Cancelled ${record.request_id}; it will not run.`]);
}
