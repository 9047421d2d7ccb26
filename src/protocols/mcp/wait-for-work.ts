import { isHoumaoError, PromptFailed, type Schemas, TurnFailed } from '@houmao/sdk/managed-agent';
import { type AgentWork, hasEnded, type SeenWork, seeWork, type WorkCall } from '../agent-work.js';
import { failureText, requestText, stillAtWork, turnText, unknownWork } from './tool-words.js';

/** Everything that a tool may use during one call; its signal fires when the caller is gone, or the server stops. */
export interface ToolCall extends WorkCall {
  /** Reports how the work stands, to callers that asked for it. */
  progress(message: string): void;
}

/** A call that failed, in the words that the model reads. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

/** Writes work, and how to go on with it when it has not ended. @param most the characters of the answer. */
export function workText(work: AgentWork, seen: SeenWork, most: number): string {
  const text = seen.turn ? turnText(seen.turn, most) : requestText(seen.request, work.name.agent);
  return hasEnded(seen) ? text : `${text}\n${stillAtWork(work.name)}`;
}

/** Writes work as it is now. @throws {HoumaoError} */
export const lookAtWork = async (
  work: AgentWork,
  most: number,
  call: Pick<WorkCall, 'signal'>,
): Promise<string> => workText(work, await seeWork(work, call), most);

/**
 * Waits for the end of work, and writes its answer, or its present state when the time is over.
 * @param asked `ending`: it was interrupted, so an end without an answer is no failure.
 * @throws {ToolFailure} when it brought no answer, or it is not known how it stands, with the way on.
 * @throws {HoumaoError} when the server refuses to say.
 */
export async function waitForWork(
  work: AgentWork,
  asked: { readonly seconds: number; readonly most: number; readonly ending?: true },
  call: ToolCall,
): Promise<string> {
  try {
    const isEnd = asked.seconds > 0 ? await endsWithin(work, asked.seconds, call) : false;
    const text = await lookAtWork(work, asked.most, call);
    if (isEnd === 'failed' && !asked.ending) throw new ToolFailure(text);
    return text;
  } catch (error) {
    // Without an answer of the server the work goes on all the same, as far as anybody knows.
    if (!isHoumaoError(error) || error.status !== null) throw error;
    throw new ToolFailure(`${failureText(error, work.name.agent)}\n${unknownWork(work.name)}`);
  }
}

/** Waits, and reports how the work stands. @returns whether it ended in that time, `failed` when it brought no answer. */
async function endsWithin(work: AgentWork, seconds: number, call: ToolCall): Promise<boolean | 'failed'> {
  const limits = { timeoutMs: seconds * 1000, signal: call.signal };
  const progress = withoutRepeats(call.progress);
  const turnSeen = ({ state, delivery }: Schemas['TurnRecord']): void =>
    progress(`${state}, delivery ${delivery.state}`);
  const requestSeen = (request: Schemas['RequestRecord']): void =>
    request.turn ? turnSeen(request.turn) : progress(requestText(request, work.name.agent));
  try {
    if (work.kind === 'turn') await work.handle.answer({ ...limits, onUpdate: turnSeen });
    else await work.handle.answer({ ...limits, onUpdate: requestSeen });
    return true;
  } catch (error) {
    if (error instanceof TurnFailed || error instanceof PromptFailed) return 'failed';
    if (isHoumaoError(error) && error.errorCode === 'timeout') return false;
    throw error;
  }
}

function withoutRepeats(report: (message: string) => void): (message: string) => void {
  let last = '';
  return (message) => {
    if (message !== last) report(message);
    last = message;
  };
}
