import type { AwaitedWork, WaitOptions } from './await-answer.js';
import { awaitEnd } from './await-end.js';
import type { WorkRequest } from './end-of-work.js';
import type { Silence } from './silence.js';
import type { GetRequest, GetTurn } from './turn-work.js';
import type { WorkErrors } from './work-error.js';

/** The calls that are made while the answer to a request is awaited. */
export interface RequestLooks {
  readonly getRequest: GetRequest;
  readonly getTurn: GetTurn;
}

/** A request that is awaited. */
export interface WatchedRequest {
  readonly requestId: string;
  /** Its state when the gateway last answered; null before the first answer. */
  readonly state: WorkRequest['state'] | null;
}

/** Every other state counts as an end, including those of newer gateways: an unknown state must not be polled forever. */
const unfinished: ReadonlySet<string> = new Set(['accepted', 'running']);

/**
 * Returns the turn that outlives its request. In a terminal a request is completed when the agent has its prompt, and the
 * answer comes with the end of the turn.
 */
const leftTurn = ({ state, turn }: WorkRequest): string | null =>
  state === 'completed' && turn?.state === 'running' ? turn.turn_id : null;

/** Waits for a request and its turn. */
export function requestWork(
  { server, promptFailed, idOf }: WorkErrors,
  looks: RequestLooks,
  { requestId, state }: WatchedRequest,
  { onUpdate, onSilence, silenceMs }: WaitOptions<WorkRequest>,
): AwaitedWork {
  const ids = { requestId };
  const listening: { silentSince: number | null } = { silentSince: null };
  let record: WorkRequest | null = null;
  const becomes = () =>
    stateWords({
      server,
      requestId,
      state: record?.state ?? state,
      waitsFor: record?.waiting_reason?.detail ?? null,
      turnId: record && leftTurn(record),
      isSilent: listening.silentSince !== null,
    });
  const watched = {
    server,
    isFollowed: Boolean(onUpdate ?? onSilence),
    look: (waitSeconds: number, signal: AbortSignal) =>
      look(looks, requestId, record, { waitSeconds, signal }),
    seen: (seen: WorkRequest) => {
      record = seen;
      onUpdate?.(seen, null);
      return !unfinished.has(seen.state) && leftTurn(seen) === null;
    },
    silent: (silence: Silence, last: WorkRequest | null) => {
      if (last !== null) onUpdate?.(last, silence);
      onSilence?.(silence);
    },
    becomes,
  } as const;
  return {
    ids,
    operationId: idOf('getRequest'),
    becomes,
    answer: async (signal) => {
      const end = await awaitEnd(watched, listening, { silenceMs, signal, ids });
      const { turn } = end;
      const isWithoutEnd = turn !== null && turn.state !== 'ended';
      if (end.state !== 'completed' || isWithoutEnd || (turn?.outcome && turn.outcome !== 'completed'))
        throw promptFailed(end);
      return turn?.answer?.text ?? '';
    },
  };
}

/** Reads the request, or its turn if the request is completed and the turn is not. */
async function look(
  { getRequest, getTurn }: RequestLooks,
  requestId: string,
  before: WorkRequest | null,
  { waitSeconds, signal }: { waitSeconds: number; signal: AbortSignal },
): Promise<WorkRequest> {
  const how = { query: { wait_seconds: waitSeconds }, signal, maxRetries: 0 };
  const turnId = before && leftTurn(before);
  if (before === null || turnId === null) return getRequest({ path: { request_id: requestId }, ...how });
  return { ...before, turn: await getTurn({ path: { turn_id: turnId }, ...how }) };
}

/** The facts about a request during the wait. */
interface RequestFacts extends WatchedRequest {
  readonly server: string;
  /** The reason why it waited at the last check, as a sentence. */
  readonly waitsFor: string | null;
  /** The turn that continues although its request is completed; null otherwise. */
  readonly turnId: string | null;
  readonly isSilent: boolean;
}

/** Describes the state of a request after the end of the wait, without claiming more than is known. */
function stateWords({ server, requestId, state, waitsFor, turnId, isSilent }: RequestFacts): string {
  if (turnId !== null && !isSilent) return `Turn ${turnId} of request ${requestId} goes on.`;
  if (turnId !== null)
    return `Turn ${turnId} of request ${requestId} ran when the ${server} last answered; its state now is not known.`;
  if (state === null) return `The state of request ${requestId} is not known.`;
  if (!isSilent && state === 'accepted')
    return waitsFor
      ? `Request ${requestId} is queued; when the ${server} last answered, it waited: ${waitsFor}`
      : `Request ${requestId} is taken: it waits in the queue, or runs by now.`;
  if (!isSilent) return `Request ${requestId} goes on.`;
  return `Request ${requestId} was ${state} when the ${server} last answered; its state now is not known.`;
}
