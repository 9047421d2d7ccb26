import type { CallOptions, OperationId, Schemas } from '../../gateway/contract.js';
import { type AnyAnswer, exampleOf } from '../fake-answer.js';
import type { FakeContract } from '../fake-contract.js';
import type { FakeCall, Simulation } from '../fake-surface.js';
import type { FakeWork, Work } from './fake-work.js';
import { Replays } from './replays.js';
import { within } from './within.js';

/** The operations of a gateway that the fake simulates, by the names of its own client. */
type QueueOperation = Extract<
  OperationId,
  | 'submitRequest'
  | 'controlPrompt'
  | 'getRequest'
  | 'getTurn'
  | 'listRequests'
  | 'cancelRequest'
  | 'listEvents'
>;

/** A surface with the queue of a gateway: its own, or those of agents. */
export interface QueueSurface {
  readonly contract: FakeContract;
  /** Returns the surface's own name for an operation. */
  readonly idOf: (name: QueueOperation) => string;
  /** Returns the work of the agent that a call is about. */
  readonly workOf: (call: FakeCall) => FakeWork;
}

/** Returns the simulations by the operations of the surface. */
export function queueSimulations({ contract, idOf, workOf }: QueueSurface): Record<string, Simulation> {
  const replays = new Replays();
  const example = (name: QueueOperation) => exampleOf(contract[idOf(name)]!);
  const simulations: Record<QueueOperation, Simulation> = {
    submitRequest: (call) =>
      replays.once(call, () => {
        const { kind, payload } = call.body as CallOptions<'submitRequest'>['body'];
        const { running } = workOf(call);
        if (kind === 'interrupt') {
          const refusal = missed(call, running);
          if (refusal) return refusal;
          running?.interrupt();
        }
        const { requestId } = workOf(call).begin(
          kind,
          kind === 'submit_prompt' ? payload.prompt : null,
          'queue',
          labelsOf(call),
        );
        const accepted = example('submitRequest').body as Schemas['RequestAccepted'];
        const stops = kind === 'interrupt' ? { turn_id: running?.turnId ?? null } : {};
        return { body: { ...accepted, ...stops, request_id: requestId, request_kind: kind } };
      }),
    controlPrompt: (call) =>
      replays.once(call, () => {
        const { prompt } = call.body as CallOptions<'controlPrompt'>['body'];
        const { turnId } = workOf(call).begin('submit_prompt', prompt, 'direct', labelsOf(call));
        return { ...example('controlPrompt'), headers: { 'X-Houmao-Turn-Id': turnId } };
      }),
    getRequest: (call, signal) => lookAt(requestIn(workOf(call), call), call, signal, ({ record }) => record),
    getTurn: (call, signal) => {
      const id = String(call.parameters.path.turn_id);
      const work = workOf(call).all.find(({ turnId }) => turnId === id);
      return lookAt(work ?? unknown('turn', id), call, signal, ({ turn }) => turn);
    },
    cancelRequest: (call) => {
      const work = requestIn(workOf(call), call);
      if (isAnswer(work)) return work;
      const detail = `Request ${work.requestId} is ${work.record.state}; send an interrupt to stop it.`;
      return { status: 409, body: { detail }, errorCode: 'request_not_waiting' };
    },
    listRequests: (call) => {
      const { state, outcome, metadata = [], limit = 50 } = call.parameters.query;
      const wanted = [metadata].flat().map((label) => String(label).split(/=(.*)/s) as [string, string]);
      const records = workOf(call)
        .all.filter(({ requestId }) => requestId !== null)
        .map(({ record }) => record)
        .filter((record) => state === undefined || record.state === state)
        .filter(({ turn }) => outcome === undefined || turn?.outcome === outcome)
        .filter((record) => wanted.every(([key, value]) => record.metadata?.[key] === value));
      const requests = records.reverse().slice(0, Number(limit));
      return { body: { schema_version: 1, requests, next_cursor: null } };
    },
    listEvents: (call, signal) => workOf(call).events.after(call.parameters.query, signal),
  };
  const named = Object.entries(simulations) as [QueueOperation, Simulation][];
  return Object.fromEntries(named.map(([name, simulation]) => [idOf(name), simulation]));
}

/** Returns the refusal of an interrupt for a turn other than the running one; otherwise null. */
export function missed({ headers }: FakeCall, running: Work | null): AnyAnswer | null {
  const turnId = headers.get('X-Houmao-If-Turn');
  if (turnId === null || running?.turnId === turnId) return null;
  return { status: 412, body: { detail: `Turn \`${turnId}\` does not run now; nothing was stopped.` } };
}

/** Returns the labels that came with a prompt, as records show them. */
export function labelsOf({ headers }: FakeCall): Pick<Schemas['TurnRecord'], 'metadata'> {
  const metadata = JSON.parse(headers.get('X-Houmao-Metadata') ?? '{}') as Record<string, string>;
  return Object.keys(metadata).length === 0 ? {} : { metadata };
}

/** Answers when the work has ended, or after `wait_seconds`; all work has begun. */
export async function lookAt(
  found: Work | AnyAnswer,
  { parameters: { query } }: FakeCall,
  signal: AbortSignal,
  seen: (work: Work) => unknown,
): Promise<AnyAnswer> {
  if (isAnswer(found)) return found;
  if (query.wait_until !== 'started')
    await within(Number(query.wait_seconds ?? 0) * 1000, found.ended, signal);
  return { body: seen(found) };
}

export const isAnswer = (found: Work | AnyAnswer): found is AnyAnswer => 'body' in found;

function requestIn({ all }: FakeWork, { parameters: { path } }: FakeCall): Work | AnyAnswer {
  const id = String(path.request_id);
  return all.find(({ requestId }) => requestId === id) ?? unknown('request', id);
}

const unknown = (what: 'request' | 'turn', id: string): AnyAnswer => ({
  status: 404,
  body: { detail: `No ${what} \`${id}\` on this gateway.` },
  errorCode: `unknown_${what}`,
});
