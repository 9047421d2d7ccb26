import type { CallOptions, OperationId, Schemas, SuccessBody } from '../../managed-agent/contract.js';
import { type AnyAnswer, exampleOf } from '../fake-answer.js';
import type { FakeContract } from '../fake-contract.js';
import type { FakeCall, Simulation } from '../fake-surface.js';
import type { FakeTurnRecord, FakeWork, Work } from './fake-work.js';
import { isAnswer, labelsOf, lookAt, missed } from './queue-simulations.js';
import { Replays } from './replays.js';

/** Returns the simulations of a server's prompts to its agents and of their turns, by its operations. */
export function turnSimulations(
  contract: FakeContract,
  workOf: (call: FakeCall) => FakeWork,
): Record<string, Simulation> {
  const replays = new Replays();
  const exampleBody = <Id extends OperationId>(operationId: Id) =>
    exampleOf(contract[operationId]!).body as SuccessBody<Id>;

  /** Submits a prompt to the gateway of the agent, as a server does if there is one. */
  const given = (call: FakeCall, prompt: string) => {
    const work = workOf(call);
    const { turnId, requestId } = work.begin('submit_prompt', prompt, 'queue', labelsOf(call));
    return { turnId, requestId: requestId ?? '', turnIndex: work.all.length };
  };
  return {
    submitAgentRequest: (call) =>
      replays.once(call, () => {
        const body = call.body as CallOptions<'submitAgentRequest'>['body'];
        const tracked_agent_id = agentIn(call);
        const accepted = exampleBody('submitAgentRequest');
        if (body.request_kind === 'interrupt') {
          const { request_kind } = body;
          const { running: ended, all } = workOf(call);
          const refusal = missed(call, ended);
          if (refusal) return refusal;
          ended?.interrupt();
          const numbered = ended
            ? ({ disposition: 'accepted', detail: `Turn ${ended.turnId} was interrupted.` } as const)
            : ({ disposition: 'no_op', detail: 'There is nothing to interrupt.' } as const);
          const turn = {
            headless_turn_id: ended?.turnId ?? null,
            headless_turn_index: ended ? all.indexOf(ended) + 1 : null,
          };
          return { body: { ...accepted, tracked_agent_id, request_kind, ...numbered, ...turn } };
        }
        const { turnId, requestId, turnIndex } = given(call, body.prompt);
        return {
          body: {
            ...accepted,
            tracked_agent_id,
            headless_turn_id: turnId,
            headless_turn_index: turnIndex,
            detail: `The gateway of the agent has the prompt as request ${requestId}.`,
          },
          headers: {
            'X-Houmao-Turn-Id': turnId,
            'X-Houmao-Request-Id': requestId,
            Location: `/houmao/agents/${encodeURIComponent(tracked_agent_id)}/turns/${turnId}/record`,
          },
        };
      }),
    createTurn: (call) =>
      replays.once(call, () => {
        const { prompt } = call.body as CallOptions<'createTurn'>['body'];
        const { turnId, requestId, turnIndex } = given(call, prompt);
        const accepted = exampleBody('createTurn');
        return {
          body: {
            ...accepted,
            tracked_agent_id: agentIn(call),
            turn_id: turnId,
            turn_index: turnIndex,
            detail: `Turn ${turnId} was accepted; the gateway of the agent has its prompt as request ${requestId}.`,
          },
        };
      }),
    getTurn: (call, signal) => {
      const { all } = workOf(call);
      const example = exampleBody('getTurn');
      return lookAt(turnIn(all, call), call, signal, (work) => ({
        ...example,
        tracked_agent_id: agentIn(call),
        turn_index: all.indexOf(work) + 1,
        ...shown(work.turn, example),
      }));
    },
    getTurnRecord: (call, signal) => lookAt(turnIn(workOf(call).all, call), call, signal, ({ turn }) => turn),
    getTurnEvents: (call) => {
      const { all } = workOf(call);
      const found = turnIn(all, call);
      if (isAnswer(found)) return found;
      const { turn_id, answer } = found.turn;
      const { entries, ...about } = exampleBody('getTurnEvents');
      const said = answer === null ? [] : entries.map((entry) => saying(answer.text, entry));
      const interruptResult = said.map((entry) => ({ ...entry, turn_index: all.indexOf(found) + 1 }));
      return { body: { ...about, tracked_agent_id: agentIn(call), turn_id, entries: interruptResult } };
    },
  };
}

const agentIn = ({ parameters: { path } }: FakeCall): string => String(path.agent_ref);

function turnIn(all: readonly Work[], call: FakeCall): Work | AnyAnswer {
  const id = String(call.parameters.path.turn_id);
  const unknown: AnyAnswer = {
    status: 404,
    body: { detail: `No turn \`${id}\` of agent \`${agentIn(call)}\`.` },
    errorCode: 'unknown_turn',
  };
  return all.find(({ turnId }) => turnId === id) ?? unknown;
}

/** Converts a turn into the form that the server has beside its record; the files are those of the example. */
function shown(
  { turn_id, state, outcome, started_at_utc, ended_at_utc, exit_code, error }: FakeTurnRecord,
  { stdout_path, stderr_path, status_path }: Schemas['AgentTurn'],
): Omit<Schemas['AgentTurn'], 'tracked_agent_id' | 'turn_index'> {
  const runs = state === 'running';
  const words = error === null ? 'completed successfully.' : `failed: ${error.detail}`;
  return {
    turn_id,
    started_at_utc,
    completed_at_utc: ended_at_utc,
    returncode: exit_code,
    completion_source: null,
    error: error?.detail ?? null,
    status: runs ? 'active' : outcome === 'completed' ? 'completed' : 'failed',
    history_summary: `Turn ${turn_id} ${runs ? 'was accepted and runs.' : words}`,
    stdout_path: runs ? null : stdout_path,
    stderr_path: runs ? null : stderr_path,
    status_path: runs ? null : status_path,
  };
}

type TurnEvent = Schemas['AgentTurnEvents']['entries'][number];

const saying = (text: string, { payload, ...entry }: TurnEvent): TurnEvent => ({
  ...entry,
  message: text,
  payload: payload && { ...payload, data: { ...payload.data, text }, raw: { type: 'text', text } },
});
