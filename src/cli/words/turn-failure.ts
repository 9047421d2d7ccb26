import { type HoumaoError, TurnFailed } from '@houmao/sdk/managed-agent';
import { answerWords, callFailure, callFields } from './call-failure.js';
import { CommandFailure, exitCodes } from './command-failure.js';
import type { Remedy } from './remedies.js';
import { stopTurn, waysBack, whyNotPrompted, withWays } from './waiting-failure.js';

/**
 * What an operator has to know when a prompt that a server took brought no answer: whether it runs, and the commands that lead back
 * to it. Never says that a prompt was refused when it may run.
 *
 * @param name the agent, as the operator named it
 * @param server the flag that leads to the same server, with a blank before it; empty where none is needed
 * @param given the options and the text of the prompt, as a shell takes them
 * @param runningTurn the turn of the prompt, when it was last seen to run
 */
export function promptAtServerFailure(
  error: HoumaoError,
  name: string,
  server: string,
  given: string,
  runningTurn: string | null,
): CommandFailure {
  const again = `houmao-mgr agents prompt ${name}${server} --idempotency-key ${error.idempotencyKey} ${given}`;
  const askAgain: readonly Remedy[] = error.idempotencyKey === null ? [] : [['ask again', again]];
  if (error.mayBeDone && error.turnId !== null) {
    const look: Remedy = ['look at it', `houmao-mgr agents turns get ${name} ${error.turnId}${server}`];
    return withWays(error.detail, [look, ...askAgain], exitCodes.notKnown, callFields(error));
  }
  if (error.turnId !== null) return turnFailure(error, { turnId: error.turnId, runningTurn }, name, server);
  const exitCode = error.errorCode === 'aborted' ? exitCodes.stopped : exitCodes.notKnown;
  if (askAgain.length > 0) return withWays(error.detail, askAgain, exitCode, callFields(error));
  if (error instanceof TurnFailed) return turnFailed(error, name, server);
  if (error.errorCode === 'aborted') return callFailure(error);
  if (error.errorCode === 'agent_busy') return busyFailure(error, name, server);
  if (!error.sent) return callFailure(error, `The agent was not prompted: ${error.detail}`);
  return callFailure(error, answerWords(error, `The server refused the prompt (${error.errorCode})`));
}

const turnFailed = (error: TurnFailed, name: string, server: string): CommandFailure =>
  new CommandFailure(`The prompt failed (${error.errorCode}): ${error.detail}`, exitCodes.failed, {
    ...callFields(error),
    remedies: whyNotPrompted(error.errorCode, name, server),
  });

/** That the agent works on another turn, and the ways to have it prompted: a server's own ones are routes. */
function busyFailure(error: HoumaoError, name: string, server: string): CommandFailure {
  const [, turnId, lacks] =
    /^Agent `[^`]+` works on turn `([^`]+)`; (with a gateway)?/.exec(error.detail) ?? [];
  if (turnId === undefined)
    return callFailure(error, answerWords(error, `The server refused the prompt (${error.errorCode})`));
  const queue: Remedy = lacks
    ? ['start a gateway, which queues prompts', `houmao-mgr agents gateway attach ${name}${server}`]
    : ['queue it at its gateway, on its machine', `houmao-mgr agents prompt ${name}`];
  return callFailure(
    error,
    `${name} works on turn ${turnId}, and a server hands a prompt over at once or not at all.`,
    [['wait for that turn', `houmao-mgr agents turns wait ${name} ${turnId}${server}`], queue],
  );
}

/** The same of a turn that has begun, or waits in the agent's queue, and was waited for. */
export function turnFailure(
  error: HoumaoError,
  { turnId, runningTurn }: { turnId: string; runningTurn: string | null },
  name: string,
  server: string,
): CommandFailure {
  if (error instanceof TurnFailed) return turnFailed(error, name, server);
  if (error.status === 404) return callFailure(error);
  const fields = { ...callFields(error), turnId };
  const ways = turnWays({ turnId, requestId: error.requestId, runningTurn }, name, server);
  if (error.errorCode === 'aborted') return withWays(error.detail, ways, exitCodes.stopped, fields);
  if (error.errorCode === 'timeout') return withWays(error.detail, ways, exitCodes.notKnown, fields);
  const sentence = `Turn ${turnId} was not refused; its result is not known yet. ${error.detail}`;
  const start: Remedy = ['if no server answers', 'houmao-mgr server start'];
  return withWays(sentence, [...ways, start], exitCodes.notKnown, fields);
}

/** The commands that lead back to a turn; by its request where it has one: while that waits, nobody knows the turn. */
export const turnWays = (
  {
    turnId,
    requestId,
    runningTurn,
  }: { turnId: string; requestId: string | null; runningTurn: string | null },
  name: string,
  server: string,
): Remedy[] =>
  requestId === null
    ? [
        ['wait for its answer', `houmao-mgr agents turns wait ${name} ${turnId}${server}`],
        ['look at it', `houmao-mgr agents turns get ${name} ${turnId}${server}`],
        stopTurn(turnId, name, server),
      ]
    : waysBack({ requestId, runningTurn }, name, server);
