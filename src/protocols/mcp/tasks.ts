import { type HoumaoClient, isHoumaoError, type Schemas } from '@houmao/sdk/managed-agent';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type AgentWork, namedWork, type SeenWork, seeWork, type WorkCall } from '../agent-work.js';
import { failureText, requestText, turnText } from './tool-words.js';

// The tasks extension of MCP (revision 2026-07-28). A task is a turn of an agent: its record is the truth, so a task outlives this
// program, and nothing is stored here. Clients poll.

export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The pause between two polls that clients are asked to keep. */
const pollIntervalMs = 2000;
type Status = 'working' | 'completed' | 'cancelled';

/** A task on the wire; its result is there when it has ended with one. */
export interface Task {
  readonly [field: string]: unknown;
  readonly taskId: string;
  readonly status: Status;
}

/** The result of a call that reports nothing. */
export type Empty = Readonly<Record<string, never>>;

/** Returns the result of a call that has become a task. @param most the characters of the answer that its result may have. */
export async function newTask(work: AgentWork, most: number, call: WorkCall): Promise<Task> {
  const { result: _, ...task } = taskOf({ work, most }, await seeWork(work, call));
  return { ...task, resultType: 'task' };
}

/** Returns a task as it is now. @throws {ProtocolError} when there is none of this id. */
export async function taskNow(taskId: string, call: WorkCall): Promise<Task> {
  const named = namedTask(taskId, call.client);
  return taskOf(named, await seeWork(named.work, call).catch(refusedBy(named)));
}

/** Interrupts the turn of a task, or takes its prompt back. @throws {ProtocolError} when there is no task of this id. */
export async function cancelTask(taskId: string, { client, signal }: WorkCall): Promise<Empty> {
  const named = namedTask(taskId, client);
  await named.work.handle.interrupt({ signal }).catch(refusedBy(named));
  return {};
}

interface NamedTask {
  readonly work: AgentWork;
  readonly most: number;
}

/** Writes the name of work, and how much of its answer is wanted, as the id of a task. */
const taskIdOf = ({ work: { name }, most }: NamedTask): string =>
  [name.request_id ?? '', name.turn_id ?? '', most, Buffer.from(name.agent).toString('base64url')].join('~');

const taskIdPattern = /^([\w.-]*)~([\w.-]*)~(\d+)~([\w-]+)$/;

function namedTask(taskId: string, client: HoumaoClient): NamedTask {
  const [, request_id = '', turn_id = '', most = '', ref = ''] = taskIdPattern.exec(taskId) ?? [];
  const agent = Buffer.from(ref, 'base64url').toString();
  const name = request_id === '' ? { agent, turn_id } : { agent, request_id };
  if (request_id === '' && turn_id === '')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${taskId} is no id of a task.`);
  return { work: namedWork(client, name), most: Number(most) };
}

const refusedBy =
  ({ work }: NamedTask) =>
  (error: unknown): never => {
    if (!isHoumaoError(error)) throw error;
    const code =
      error.status === 404 || error.status === 422
        ? ProtocolErrorCode.InvalidParams
        : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, failureText(error, work.name.agent) ?? error.message);
  };

function taskOf(named: NamedTask, seen: SeenWork): Task {
  const { turn, request } = seen;
  const createdAt = request?.accepted_at_utc ?? turn?.started_at_utc;
  const head = { taskId: taskIdOf(named), ttlMs: null, pollIntervalMs, createdAt };
  return turn
    ? { ...head, ...turnFields(turn, named.most) }
    : { ...head, ...requestFields(seen.request, named.work.name.agent) };
}

const textResult = (text: string, isError: boolean) => ({ content: [{ type: 'text', text }], isError });

function turnFields(turn: Schemas['TurnRecord'], most: number) {
  const { ended_at_utc, delivery, outcome } = turn;
  const lastUpdatedAt = ended_at_utc ?? delivery.at_utc;
  const statusMessage = `turn ${turn.turn_id}: ${outcome ?? turn.state}, delivery ${delivery.state}`;
  if (turn.state !== 'ended') return { lastUpdatedAt, status: 'working' as const, statusMessage };
  if (outcome === 'interrupted') return { lastUpdatedAt, status: 'cancelled' as const, statusMessage };
  const result = textResult(turnText(turn, most), outcome !== 'completed');
  return { lastUpdatedAt, status: 'completed' as const, statusMessage, result };
}

/** A request without a turn: it waits, or it ended and never ran. */
function requestFields(request: Schemas['RequestRecord'], agent: string) {
  const { accepted_at_utc, finished_at_utc, state } = request;
  const lastUpdatedAt = finished_at_utc ?? accepted_at_utc;
  const statusMessage = requestText(request, agent);
  if (finished_at_utc === null) return { lastUpdatedAt, status: 'working' as const, statusMessage };
  if (state === 'cancelled') return { lastUpdatedAt, status: 'cancelled' as const, statusMessage };
  return {
    lastUpdatedAt,
    status: 'completed' as const,
    statusMessage,
    result: textResult(statusMessage, true),
  };
}
